import ChatFixtures
import ChatStore
import EntityInformation
import MessageFeatures
import Profiles
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine

@Suite("Disclosure to strangers on real servers", .timeLimit(.minutes(10)))
struct StrangerLiveTests {
    @Test(
        "a stranger gets neither receipt nor marker nor avatar request, also when the message is read",
        arguments: AccountLiveTests.servers)
    func silence(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        let spy = try await server.newAccount("spy")
        var configuration = ClientConfiguration(address: try JID(spy.address), password: spy.password)
        configuration.use(server)
        configuration.loginTimeout = .seconds(120)
        let client = Client(configuration)
        try await juliet.whileRunning {
            try await Person.waitUntilOnline([juliet])
            try await client.run { session in
                let sender = try #require(await session.address)
                let events = session.events([.messages, .iqs])
                try await session.send(Presence())
                var message = Message(to: juliet.address, type: .chat, id: "probe", body: "who is there?")
                message.append(DeliveryReceiptRequest())
                message.append(DisplayedMarkerRequest())
                try await session.send(message)
                var presence = Presence(to: juliet.address)
                presence.append(AvatarUpdate(.hash(String(repeating: "a", count: 40))))
                try await session.send(presence)
                let key = juliet.key(sender.bare)
                let changes = juliet.store.changes()
                if try await juliet.timeline(in: key).isEmpty {
                    for await _ in changes where try await !juliet.timeline(in: key).isEmpty { break }
                }
                let read = try #require(try await juliet.timeline(in: key).last)
                try await juliet.account.markRead(upTo: read.id, in: key)
                // The message is stored before it is completely processed; a response arrives after that.
                _ = try await juliet.account.session?.request(Ping())
                // Her reply is the first stanza that the stranger receives.
                _ = try await juliet.account.send(.text(MessageText("nobody")), in: key)
                var iterator = events.makeAsyncIterator()
                let first = await iterator.next()?.first
                guard case .message(let message)? = first else {
                    Issue.record("The stranger was asked something: \(String(describing: first)).")
                    return
                }
                #expect(message.body == "nobody")
            }
        }
    }
}
