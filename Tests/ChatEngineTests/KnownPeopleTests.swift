import ChatFixtures
import ChatStore
import ChatStoreTesting
import HongyanTesting
import Synchronization
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine

@Suite("Known people")
struct KnownPeopleTests {
    /// A store to which something happens before each write.
    private final class EventfulStore: LocalStore {
        let store = MemoryStore()
        let beforeWriting = Mutex<(@Sendable () async -> Void)?>(nil)

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReader) throws(StoreError) -> Result
        ) async throws(StoreError) -> Result { try await store.read(body) }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
        ) async throws(StoreError) -> Result {
            await beforeWriting.withLock(\.self)?()
            return try await store.write(body)
        }

        func changes() -> StoreChangeSequence { store.changes() }

        func close() async { await store.close() }
    }

    @Test("somebody who is looked up while the first message to them is stored is no stranger afterwards")
    func firstMessage() async throws {
        let server = MemoryServer(users: ["alice", "bob"])
        let store = EventfulStore()
        let configuration = try server.account("alice")
        let address = configuration.address.bare
        let bob = try JID("bob@xmpp.test")
        let id = try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
        let account = ChatAccount(id, configuration: configuration, store: store)
        let people = PeopleDirectory(people: account.context.recorder.people, store: store, account: id)
        #expect(await !people.maySeePresence(bob))
        store.beforeWriting.withLock { $0 = { #expect(await !people.maySeePresence(bob)) } }
        _ = try await account.send(
            .text(MessageText("Good morrow")), in: ConversationKey(account: id, address: bob, kind: .direct))
        #expect(await people.maySeePresence(bob))
    }

    @Test("somebody to whom only a file was sent is no stranger")
    func onlyFile() async throws {
        let server = MemoryServer(users: ["alice", "bob"])
        let store = MemoryStore()
        let configuration = try server.account("alice")
        let address = configuration.address.bare
        let id = try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
        let key = ConversationKey(account: id, address: try JID("bob@xmpp.test"), kind: .direct)
        let account = ChatAccount(id, configuration: configuration, store: store)
        let people = PeopleDirectory(people: account.context.recorder.people, store: store, account: id)
        #expect(await !people.maySeePresence(key.address))
        let file = Attachment(kind: .file, url: "https://files.xmpp.test/letter.pdf")
        _ = try await account.send(.text(MessageText("", attachments: [file])), in: key)
        #expect(await people.maySeePresence(key.address))
    }

    @Test("what the store said before a message was stored is not remembered")
    func lookUp() async throws {
        let people = KnownPeople()
        let bob = try JID("bob@xmpp.test")
        let isFound = await people.hasWritten(to: bob) {
            people.wrote()
            return false
        }
        #expect(!isFound)
        #expect(await people.hasWritten(to: bob) { true })
        // A stranger is looked up once.
        let eve = try JID("eve@xmpp.test")
        #expect(await !people.hasWritten(to: eve) { false })
        #expect(await !people.hasWritten(to: eve) { true })
    }
}
