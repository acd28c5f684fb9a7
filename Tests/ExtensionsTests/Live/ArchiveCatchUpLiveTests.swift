import EntityInformation
import Foundation
import MessageHistory
import ServerFixtures
import ServiceDiscovery
import Synchronization
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// XEP-0313, XEP-0359, XEP-0198.
@Suite("Catching up with the archive", .timeLimit(.minutes(20)))
struct ArchiveCatchUpLiveTests {
    /// An account with a store on disk, and somebody who writes to it.
    private struct Bot {
        let server: any PrivateServer
        let account: Account
        let friend: Account
        let path: String

        init(_ kind: LiveServer) async throws {
            server = try await kind.server
            account = try await server.newAccount("bot")
            friend = try await server.newAccount("friend")
            path = FileManager.default.temporaryDirectory.appending(path: "catch-up-\(UUID().uuidString)").path
        }

        func remove() { try? FileManager.default.removeItem(atPath: path) }

        func store() throws -> FileSessionStore {
            try FileSessionStore(path: path) { (try? Message(from: $0))?.isChatMessageWithBody == true }
        }

        func configuration(_ account: Account) throws -> ClientConfiguration {
            var configuration = ClientConfiguration(address: try JID(account.address), password: account.password)
            configuration.host = server.host
            configuration.port = server.port
            configuration.trust = .certificateAuthority(server.authorityFile)
            configuration.loginTimeout = .seconds(120)
            configuration.requestTimeout = .seconds(120)
            configuration.startTimeout = .seconds(120)
            configuration.add { ServiceDiscovery($0) }
            return configuration
        }

        /// Runs a session of the bot and closes it; its presence has this priority.
        ///
        /// - Parameter destination: where the archive is stored, if not in the store itself.
        func run(
            _ store: FileSessionStore, priority: Int8? = 0, into destination: (any CatchUpStore)? = nil,
            _ body: (Session) async throws -> Void
        ) async throws {
            var configuration = try configuration(account)
            configuration.store = store
            configuration.add { MessageArchive($0) }
            configuration.add { ArchiveCatchUp($0, into: destination ?? store) }
            try await Client(configuration).run { session in
                if let priority { try await session.send(Presence(priority: priority)) }
                try await session.ping()
                try await body(session)
            }
        }

        /// Sends messages to the bot and returns when the server has them.
        func write(_ range: ClosedRange<Int>) async throws {
            try await Client(configuration(friend)).run { session in
                for number in range { try await session.send(.chat(to: try JID(account.address), body: "\(number)")) }
                try await session.ping()
            }
        }

        /// The same while another device of the bot gets them, so that the server does not keep them for the bot.
        func writeToPhone(_ range: ClosedRange<Int>) async throws {
            try await Client(configuration(account)).run { phone in
                try await phone.send(Presence())
                try await phone.ping()
                try await write(range)
                try await phone.ping()
            }
        }

        func numbers(_ store: FileSessionStore) -> [Int] {
            store.received.compactMap { (try? Message(from: $0.stanza))?.body.flatMap { Int($0) } }
        }

        /// Waits until the inbox has as many messages.
        func wait(for count: Int, in store: FileSessionStore) async {
            guard store.received.count < count else { return }
            var seen = 0
            for await _ in store.inbox {
                seen += 1
                if seen >= count { return }
            }
        }
    }

    /// A store that has not stored yet that a new session has begun, as on a busy machine.
    private struct LateStore: CatchUpStore {
        let store: FileSessionStore

        func beginCatchUp(of account: JID) async throws -> CatchUpState {
            var state = try await store.beginCatchUp(of: account)
            state.isComplete = true
            return state
        }

        func commit(archived: [CatchUpMessage], through mark: ArchiveMark?, isComplete: Bool) async throws {
            try await store.commit(archived: archived, through: mark, isComplete: isComplete)
        }
    }

    @Test("nothing is missed if the store learns late that a new session has begun")
    func late() async throws {
        let bot = try await Bot(.prosody)
        defer { bot.remove() }
        let store = try bot.store()
        try await bot.run(store) { session in
            try await bot.write(1...3)
            await bot.wait(for: 3, in: store)
        }
        try await bot.writeToPhone(4...6)
        try await bot.run(store, into: LateStore(store: store)) { _ in await bot.wait(for: 6, in: store) }
        #expect(bot.numbers(store) == [1, 2, 3, 4, 5, 6])
        await store.close()
    }

    @Test(
        "what was missed comes once, in order, and what came live does not come again", arguments: LiveServer.allCases)
    func missed(kind: LiveServer) async throws {
        let bot = try await Bot(kind)
        defer { bot.remove() }
        // The first session sets the position: what was before is none of its business.
        try await bot.writeToPhone(1...3)
        let first = try bot.store()
        try await bot.run(first) { session in
            try await bot.write(4...6)
            await bot.wait(for: 3, in: first)
        }
        #expect(bot.numbers(first) == [4, 5, 6])
        await first.close()

        // Another device got these.
        try await bot.writeToPhone(7...250)
        let second = try bot.store()
        try await bot.run(second) { session in
            await bot.wait(for: 247, in: second)
            try await bot.write(251...252)
            await bot.wait(for: 249, in: second)
            // What it sends itself is in its archive and not in its inbox.
            try await session.send(.chat(to: try JID(bot.friend.address), body: "999"))
            try await session.ping()
        }
        #expect(bot.numbers(second) == Array(4...252))
        let stamp = try second.received.first { (try Message(from: $0.stanza)).body == "100" }
        #expect(stamp?.stanza.firstChild(XMLName("delay", "urn:xmpp:delay")) != nil)
        await second.close()

        // Nothing was missed: nothing comes.
        let third = try bot.store()
        let events = Mutex<[Int]>([])
        var configuration = try bot.configuration(bot.account)
        configuration.store = third
        configuration.add { MessageArchive($0) }
        configuration.add { ArchiveCatchUp($0, into: third) }
        try await Client(configuration).run(from: .connecting) { session in
            let stream = session[ArchiveCatchUp.self]?.events()
            session.connect()
            for await event in stream ?? AsyncStream(unfolding: { nil }) {
                if case .complete(let count) = event { events.withLock { $0.append(count) } }
                break
            }
        }
        #expect(bot.numbers(third) == Array(4...252))
        #expect(events.withLock { $0 } == [0])
        await third.close()
    }

    @Test("without the extension MessageArchive its start fails with a sentence")
    func missingArchive() async throws {
        let bot = try await Bot(.prosody)
        defer { bot.remove() }
        let store = try bot.store()
        var configuration = try bot.configuration(bot.account)
        configuration.store = store
        configuration.add { ArchiveCatchUp($0, into: store) }
        try await Client(configuration).run(from: .connecting) { session in
            let events = session.events(.connection)
            session.connect()
            for await batch in events {
                for case .connection(.extensionFailed(let name, let error)) in batch {
                    #expect(name == "ArchiveCatchUp")
                    #expect((error as? ClientError)?.code == .invalidConfiguration)
                    return
                }
            }
        }
    }
}
