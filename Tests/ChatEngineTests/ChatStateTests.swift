import ChatFixtures
import ChatStore
import MessageFeatures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine

@Suite("Chat states and threads")
@MainActor
struct ChatStateTests {
    private static let state = "xmlns='http://jabber.org/protocol/chatstates'"

    private static func message(_ content: String, from sender: String, thread: String? = nil) throws -> Message {
        let thread = thread.map { "<thread>\($0)</thread>" } ?? ""
        return try Message(
            from: XMLElement(
                parsing: "<message xmlns='jabber:client' from='\(sender)' type='chat'>\(content)\(thread)</message>"))
    }

    @Test("a contact who replies without a chat state gets none, until one arrives (XEP-0085 §5.1)")
    func support() throws {
        let support = ChatStateSupport()
        let romeo = try JID("romeo@montague.example")
        #expect(support.allows(romeo))
        support.received(
            try Self.message("<received xmlns='urn:xmpp:receipts' id='1'/>", from: "romeo@montague.example/a"))
        #expect(support.allows(romeo))
        support.received(try Self.message("<body>Ay</body>", from: "romeo@montague.example/a"))
        #expect(!support.allows(romeo))
        support.received(try Self.message("<composing \(Self.state)/>", from: "romeo@montague.example/b"))
        #expect(support.allows(romeo))
        support.received(try Self.message("<body>Ay</body><active \(Self.state)/>", from: "romeo@montague.example/b"))
        #expect(support.allows(romeo))
    }

    private static func account(_ fixture: ModelFixture) -> ChatAccount {
        ChatAccount(
            fixture.account, configuration: ClientConfiguration(address: fixture.juliet, password: ""),
            store: fixture.store)
    }

    @Test("typing in a private message is shown in the private conversation")
    func privateWriting() async throws {
        let fixture = try await ModelFixture()
        let account = Self.account(fixture)
        account.context.recorder.occupancies.set(
            RoomOccupancy(nickname: "Juliet"), in: try JID("orchard@rooms.example"))
        await account.typing.received(
            try Self.message("<composing \(Self.state)/>", from: "orchard@rooms.example/Romeo"))
        let key = try fixture.key("orchard@rooms.example/Romeo", .occupant)
        #expect(await account.writers[key]?.count == 1)
        #expect(await account.writers.count == 1)
    }

    @Test("a reply copies the thread of the last message, and a thread that the other side has left is not used again")
    func threads() async throws {
        let fixture = try await ModelFixture()
        let account = Self.account(fixture)
        let key = fixture.key
        func send(_ body: String) async throws -> String? {
            let id = try await account.send(.text(MessageText(body)), in: key)
            return try await fixture.store.read { store throws(StoreError) in try store.message(id)?.text.thread }
        }
        #expect(try await send("nothing said yet") == nil)
        let copy = MessageCopy(
            route: .live, sender: fixture.romeo, wireID: "1", time: .now,
            content: .text(MessageText("hello", thread: "t1")))
        try await fixture.store.write { store throws(StoreError) in _ = try store.receive(copy, in: key) }
        #expect(try await send("one") == "t1")
        #expect(try await send("two") == "t1")
        await account.typing.received(
            try Self.message("<gone \(Self.state)/>", from: "romeo@montague.example/a", thread: "t1"))
        let next = try #require(try await send("three"))
        #expect(next != "t1")
        #expect(try await send("four") == next)
    }
}
