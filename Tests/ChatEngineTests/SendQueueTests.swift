import ChatFixtures
import ChatStore
import ChatStoreTesting
import HongyanTesting
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine

@Suite("The send queue with an in-memory server", .timeLimit(.minutes(20)))
struct SendQueueTests {
    /// The cost of sending waiting messages.
    struct Cost {
        var transactions = 0
        var places = 0
    }

    /// Sends this number of waiting messages to three people, and checks that each arrived once and in order.
    ///
    /// - Parameter pinning: with a failed message before them, whose file is pinned in the cache.
    static func send(_ count: Int, pinning: Bool = false) async throws -> Cost {
        let folder = try SpareFolder()
        let store = CountingStore(try await SQLiteStore.open(at: folder.path + "/store"))
        let server = MemoryServer(users: ["alice", "bob", "carol", "dave"])
        let configuration = try server.account("alice")
        let address = configuration.address.bare
        let peers = try ["bob", "carol", "dave"].map { try JID(local: $0, domain: MemoryServer.domain) }
        let id = try await store.write { writer throws(StoreError) in
            let id = try writer.addAccount(address)
            if pinning {
                let key = ConversationKey(account: id, address: peers[0], kind: .direct)
                let file = Attachment(kind: .file, contentHash: String(repeating: "0", count: 64), isLocal: true)
                let message = try writer.send(
                    OutgoingMessage(
                        sender: address, originID: "file", time: MessageTime(millisecondsSince1970: 0),
                        content: .text(MessageText("", attachments: [file]))), in: key)
                try writer.advance(message, to: .failed(FailureReason(.notSent, condition: "no-upload")))
            }
            for number in 0..<count {
                let key = ConversationKey(account: id, address: peers[number % peers.count], kind: .direct)
                _ = try writer.send(
                    OutgoingMessage(
                        sender: address, originID: "m\(number)",
                        time: MessageTime(millisecondsSince1970: Int64(number)),
                        content: .text(MessageText("\(number)"))), in: key)
            }
            return id
        }
        var inboxes: [ScriptedPeer] = []
        for peer in peers { inboxes.append(try await server.peer(peer.local ?? "")) }
        let media = pinning ? try await MediaCache.open(at: folder.path + "/media", budget: 1_000_000) : nil
        let account = ChatAccount(id, configuration: configuration, store: store, media: media)
        let changes = store.changes()
        let before = store.reads + store.writes
        let life = Task { try await account.run() }
        func isEmpty() async throws -> Bool {
            try await store.read { reader throws(StoreError) in
                try reader.sendQueue(of: id, in: nil, after: 0, limit: 1).messages.isEmpty
            }
        }
        var looks = 1
        var isDone = try await isEmpty()
        var iterator = changes.makeAsyncIterator()
        while !isDone, await iterator.next() != nil {
            looks += 1
            isDone = try await isEmpty()
        }
        let cost = Cost(
            transactions: store.reads + store.writes - before - looks,
            places: await account.context.queue.placesRead)
        for (index, inbox) in inboxes.enumerated() {
            for number in stride(from: index, to: count, by: peers.count) {
                #expect(await inbox.message()?.body == "\(number)")
            }
        }
        life.cancel()
        _ = await life.result
        await store.close()
        return cost
    }

    @Test(
        "ten times as many waiting messages cost ten times as much: no entry is read again for each event",
        arguments: [false, true])
    func linear(pinning: Bool) async throws {
        let count = LongTests.isOn ? 1_000 : 150
        let (few, many) = (
            try await Self.send(count, pinning: pinning), try await Self.send(10 * count, pinning: pinning)
        )
        // Once, and again if the connection is reported after its first messages.
        #expect(few.places <= 2 * count && many.places <= 20 * count)
        let ratio = Double(many.transactions) / Double(few.transactions)
        #expect(ratio <= 12, "\(few.transactions) transactions for \(count), \(many.transactions) for \(10 * count)")
    }

    @Test("a message that waits for its next attempt is tried at once when the account comes online")
    func backoff() async throws {
        let store = MemoryStore()
        let server = MemoryServer(users: ["alice", "bob"])
        let configuration = try server.account("alice")
        let address = configuration.address.bare
        let bob = try await server.peer("bob")
        let id = try await store.write { writer throws(StoreError) in
            let id = try writer.addAccount(address)
            let key = ConversationKey(account: id, address: bob.address.bare, kind: .direct)
            let now = MessageTime.now
            let message = try writer.send(
                OutgoingMessage(
                    sender: address, originID: "m1", time: now, content: .text(MessageText("delayed"))), in: key)
            for _ in 0..<9 { try writer.noteAttempt(message, notBefore: now.advanced(by: 290_000)) }
            return id
        }
        let account = ChatAccount(id, configuration: configuration, store: store)
        let life = Task { try await account.run() }
        let timer = Task {
            try await Task.sleep(for: .seconds(120))
            life.cancel()
            await account.close()
        }
        #expect(await bob.message()?.body == "delayed")
        timer.cancel()
        life.cancel()
        _ = await life.result
    }

    /// An upload that reports its progress in many small steps.
    private struct SteadyUploader: AttachmentUploader {
        let steps: Int
        let began: @Sendable () -> Void
        let ending: @Sendable () async -> Void

        func upload(
            _ attachment: ChatStore.Attachment, in session: Session, progress: @escaping @Sendable (Int) -> Void
        ) async throws(AttachmentFailure) -> String {
            began()
            for step in 1...steps {
                progress(step * 100 / steps)
                await Task.yield()
            }
            await ending()
            return "https://files.example/picture"
        }
    }

    @Test("an upload of a thousand steps makes no transaction, and its observer sees it")
    func upload() async throws {
        let store = CountingStore(MemoryStore())
        let server = MemoryServer(users: ["alice", "bob"])
        let configuration = try server.account("alice")
        let address = configuration.address.bare
        let bob = try await server.peer("bob")
        let (beginnings, begun) = AsyncStream.makeStream(of: Int.self)
        let (endings, ended) = AsyncStream.makeStream(of: Int.self)
        let (permission, allow) = AsyncStream.makeStream(of: Void.self)
        let uploader = SteadyUploader(steps: 1000) {
            begun.yield(store.writes)
        } ending: {
            ended.yield(store.writes)
            for await _ in permission { break }
        }
        let (id, message) = try await store.write { writer throws(StoreError) in
            let id = try writer.addAccount(address)
            let key = ConversationKey(account: id, address: bob.address.bare, kind: .direct)
            let picture = ChatStore.Attachment(kind: .picture, contentHash: "00", isLocal: true)
            let message = OutgoingMessage(
                sender: address, originID: "picture", time: MessageTime(millisecondsSince1970: 1),
                content: .text(MessageText("", attachments: [picture])))
            return (id, try writer.send(message, in: key))
        }
        let account = ChatAccount(id, configuration: configuration, store: store, uploader: uploader)
        let steps = account.uploads.values(of: message, at: 0)
        let life = Task { try await account.run() }
        var (begin, end) = (beginnings.makeAsyncIterator(), endings.makeAsyncIterator())
        let (before, after) = (try #require(await begin.next()), try #require(await end.next()))
        // One for each percent would be a hundred. The few at the start of the session, one for each batch of responses,
        // are not caused by the upload.
        #expect(after - before < 50)
        #expect(account.uploads.step(of: message, at: 0) == .uploading(100))
        for await step in steps where step == .uploading(100) { break }
        let state = try await store.read { reader throws(StoreError) in try reader.message(message)?.state }
        #expect(state == .queued)
        allow.yield()
        #expect(await bob.message()?.body == "https://files.example/picture")
        #expect(account.uploads.step(of: message, at: 0) == nil)
        life.cancel()
        _ = await life.result
    }
}
