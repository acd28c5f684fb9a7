import ChatEngine
import ChatFixtures
import ChatStore
import MessageFeatures
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Impersonation on real servers", .timeLimit(.minutes(20)))
struct ImpersonationLiveTests {
    @Test(
        "N1: a new owner of a nickname cannot correct or retract, the author can",
        arguments: ServerKind.allCases)
    func takenNickname(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let viewer = try await Person(try await server.newAccount("juliet"), on: server)
        let author = try await Person(try await server.newAccount("romeo"), on: server)
        let mallory = try await Person(try await server.newAccount("mallory"), on: server)
        let room = try JID("orchard-\(author.address.local ?? "")@conference.\(server.domain)")
        @Sendable func key(_ person: Person) -> ConversationKey { RoomLiveTests.key(person, room) }
        /// A retraction in a room refers to the message by the id assigned by the room.
        @Sendable func say(_ person: Person, _ body: String) async throws -> StoredMessage {
            _ = try await person.account.send(.text(MessageText(body)), in: key(person))
            try await person.wait(in: key(person)) { messages in
                messages.contains { $0.text.body == body && $0.archiveReference != nil }
            }
            let said = try await person.timeline(in: key(person)).last { $0.text.body == body }
            return try #require(said)
        }
        try await viewer.whileRunning {
            try await author.whileRunning {
                try await mallory.whileRunning {
                    try await Person.waitUntilOnline([viewer, author, mallory])
                    try await viewer.account.rooms.enter(room, nickname: "juliet")
                    try await author.account.rooms.enter(room, nickname: "romeo")
                    let first = try await say(author, "I am Romeo")
                    let second = try await say(author, "tow")
                    let wireID = try #require(second.wireID)
                    _ = try await author.account.send(
                        .correction(of: .sent(id: wireID), MessageText("two")), in: key(author))
                    try await viewer.wait(in: key(viewer)) { $0.map(\.text.body) == ["I am Romeo", "two"] }
                    await author.account.rooms.leave(room)

                    try await mallory.account.rooms.enter(room, nickname: "romeo")
                    let name = try #require(first.archiveReference)
                    let attacks: [MessageContent] = [
                        .correction(of: .sent(id: try #require(first.wireID)), MessageText("I am a villain")),
                        .correction(of: .sent(id: wireID), MessageText("I hate her")), .retraction(of: .archived(name)),
                    ]
                    for attack in attacks { _ = try await mallory.account.send(attack, in: key(mallory)) }
                    _ = try await mallory.account.send(.text(MessageText("done")), in: key(mallory))
                    try await viewer.wait(in: key(viewer)) { $0.contains { $0.text.body == "done" } }
                    let seen = try await viewer.timeline(in: key(viewer))
                    #expect(seen.prefix(2).map(\.text.body) == ["I am Romeo", "two"])
                    #expect(seen.allSatisfy { !$0.isRetracted })
                }
            }
        }
    }

    @Test(
        "D3, D3b: a backdated message of another user counts as new", arguments: ServerKind.allCases)
    func backdating(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        let mallory = try await server.newAccount("mallory")
        var configuration = ClientConfiguration(address: try JID(mallory.address), password: mallory.password)
        configuration.use(server)
        configuration.loginTimeout = .seconds(120)
        let settings = configuration
        let key = juliet.key(try JID(mallory.address))
        try await juliet.whileRunning {
            try await Person.waitUntilOnline([juliet])
            try await Client(settings).run { session in
                func say(_ body: String, _ stamper: JID?) async throws {
                    var message = Message.chat(to: juliet.address, body: body)
                    message.id = body
                    let stamp = Timestamp(millisecondsSince1970: 1_500_000_000_000)
                    message.append(DelayedDelivery(stamp: stamp, from: stamper))
                    try await session.send(message)
                }
                _ = try await session.send(Message.chat(to: juliet.address, body: "hello"))
                try await juliet.wait(in: key) { $0.count == 1 }
                try await say("unnamed", nil)
                try await say("server", try JID(server.domain))
                try await say("account", juliet.address)
                try await juliet.wait(in: key) { $0.count == 4 }
            }
        }
        let seen = try await juliet.timeline(in: key)
        #expect(seen.map(\.text.body) == ["hello", "unnamed", "server", "account"])
        let unread = try await juliet.store.read { reader throws(StoreError) in
            try reader.conversations().map(\.unreadCount)
        }
        #expect(unread == [4])
    }
}
