import ChatEngine
import ChatFixtures
import ChatStore
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient

@Suite("Accounts in rooms of real servers", .timeLimit(.minutes(20)))
struct RoomLiveTests {
    static func key(_ person: Person, _ room: JID) -> ConversationKey {
        ConversationKey(account: person.id, address: room, kind: .room)
    }

    @Test(
        "all occupants see the same messages in the same order over breaking connections, and so does a new device",
        arguments: AccountLiveTests.servers)
    func badLine(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let proxy = try FaultProxy(to: server.port)
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let romeo = try await Person(names[0], on: server, port: proxy.port)
        let juliet = try await Person(names[1], on: server, port: proxy.port)
        let service = server.domain
        let room = try JID("orchard-\(romeo.address.local ?? "")@conference.\(service)")
        let count = 30
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                try await romeo.account.rooms.enter(room, nickname: "romeo")
                try await juliet.account.rooms.enter(room, nickname: "juliet")
                for number in 0..<count {
                    for person in [romeo, juliet] {
                        let text = "\(person.address.local?.prefix(1) ?? "")\(number)"
                        _ = try await person.account.send(.text(MessageText(text)), in: Self.key(person, room))
                    }
                    if number % 10 == 9 { proxy.resetConnections() }
                }
                let isComplete: @Sendable ([StoredMessage]) -> Bool = { messages in
                    Self.isInOrder(messages, count) && messages.allSatisfy { $0.state != .queued }
                }
                try await romeo.wait(in: Self.key(romeo, room), isComplete)
                try await juliet.wait(in: Self.key(juliet, room), isComplete)
                // A device that connects later sees the same messages, and joins the room automatically.
                let tablet = try await Person(names[1], on: server)
                try await tablet.whileRunning {
                    try await tablet.wait(in: Self.key(tablet, room)) { Self.isInOrder($0, count) }
                }
            }
        }
    }

    /// Checks that each message exists once, and that the messages of each sender are in order.
    static func isInOrder(_ messages: [StoredMessage], _ count: Int) -> Bool {
        messages.count == 2 * count
            && ["r", "j"].allSatisfy { initial in
                messages.map(\.text.body).filter { $0.hasPrefix(initial) } == (0..<count).map { "\(initial)\($0)" }
            }
    }
}
