import ChatStore
import Foundation
import HostileFixtures
import ProgramFixtures
import Testing
import XMPPAddress

/// A profile of an earlier release, which could neither read what was waiting on the server nor send what it had
/// written.
@Suite("A poisoned profile", .timeLimit(.minutes(5)))
struct PoisonedProfileTests {
    private static let longText = String(repeating: "&", count: 100_000)
    private static let behind = "the small one behind it"

    @Test(
        "the first start goes online, shows the messages after the poison, fails the long text and sends the next one",
        arguments: Server.allCases)
    func firstStart(server: Server) async throws {
        let running = try await server.shared()
        let attacker = try await HostileComponent(to: running)
        let friend = try await HostileUser(running.newAccount("friend"), on: running)
        try await friend.send("<presence/>")
        let victim = try await Person("vic", onAny: running)
        try await victim.run("login")
        let friendly = friend.account.address
        try await Self.write(to: friendly, in: victim)
        try await Self.poison(victim.address, by: attacker)

        // The messages that the server stored for an offline client.
        let listening = try await victim.listen()
        try await listening.waitForOutput("what is behind") { $0.contains("\"body\":\"after\"") }
        #expect(listening.output.contains("\"body\":\"before\""))
        #expect(
            listening.output.ranges(of: "\"state\":\"online\"").count == 1, "\(listening.output)\(listening.errors)")
        listening.signal(15)
        #expect(await listening.result().status == 0)

        // The archive, and the messages that are waiting in the profile.
        let chatting = try victim.chat(attacker.stranger)
        try await chatting.waitForOutput("what is behind") { $0.contains("after") }
        try await friend.line.next("the message behind the long one") { element in
            element.children.contains { $0.text == Self.behind }
        }
        chatting.type("/quit\r")
        #expect(await chatting.result().status == 0)

        let received = try await Self.messages(with: attacker.stranger, of: victim)
        // Servers stamp what they kept with whole seconds, so poison of the same second may stand behind the last message.
        let bodies = received.map(\.text.body)
        let (before, after) = (
            try #require(bodies.firstIndex(of: "before")), try #require(bodies.firstIndex(of: "after"))
        )
        #expect(before < after, "\(bodies)")
        #expect(bodies.filter { $0 == "before" || $0 == "after" }.count == 2)
        let sent = try await Self.messages(with: friendly, of: victim)
        #expect(sent.map(\.text.body.utf8.count) == [Self.longText.utf8.count, Self.behind.utf8.count])
        if case .failed? = sent.first?.state {
        } else {
            Issue.record("The long text is \(String(describing: sent.first?.state)).")
        }
        #expect(sent.last?.state != .queued)
        #expect(await friend.line.received.allSatisfy { $0.children.allSatisfy { $0.text != Self.longText } })
    }

    /// Two messages wait in the send queue of the profile.
    private static func write(to friend: String, in person: Person) async throws {
        try await withStore(of: person) { store in
            let (own, peer) = (try JID(person.address), try JID(friend))
            try await store.write { writer throws(StoreError) in
                let account = try writer.addAccount(own)
                let key = ConversationKey(account: account, address: peer, kind: .direct)
                for (number, body) in [longText, behind].enumerated() {
                    let message = OutgoingMessage(
                        sender: own, originID: "waiting-\(number)",
                        time: MessageTime(millisecondsSince1970: 1_700_000_000_000 + Int64(number)),
                        content: .text(MessageText(body)))
                    _ = try writer.send(message, in: key)
                }
            }
        }
    }

    private static func poison(_ victim: String, by attacker: HostileComponent) async throws {
        func message(_ id: String, _ content: String) -> String {
            "<message from='\(attacker.stranger)/r' to='\(victim)' type='chat' id='\(id)'>\(content)</message>"
        }
        try await attacker.send(message("a1", "<body>before</body>"))
        for poison in Poison.all where ["P1", "P2", "P3"].contains(poison.id) {
            try await attacker.send(poison.message(from: attacker.stranger + "/r", to: victim))
        }
        let long = String(repeating: "A", count: 200_000)
        // Line feeds: expat waits for more data before it reads a very long token.
        try await attacker.send(
            message(long, "<body>long</body><request xmlns='urn:xmpp:receipts'/>")
                + String(repeating: "\n", count: 4096))
        try await attacker.send(message("a2", "<body>after</body>"))
        #expect(try await attacker.settles(), "the server has passed everything on")
    }

    private static func messages(with peer: String, of person: Person) async throws -> [StoredMessage] {
        try await withStore(of: person) { store in
            let (own, address) = (try JID(person.address), try JID(peer))
            return try await store.read { reader throws(StoreError) in
                guard let account = try reader.account(own)?.id,
                    let conversation = try reader.conversation(
                        ConversationKey(account: account, address: address, kind: .direct))
                else { return [] }
                return try reader.timeline(of: conversation, .newest, limit: 100)
            }
        }
    }

    /// The file of the profile, while no program has it open.
    private static func withStore<Result>(
        of person: Person, _ body: (SQLiteStore) async throws -> Result
    ) async throws -> Result {
        let folder = person.home.path + "/data/hongyan"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let store = try await SQLiteStore.open(at: folder + "/chat.db")
        do {
            let result = try await body(store)
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }
}
