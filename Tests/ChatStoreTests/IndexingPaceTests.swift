import Testing

@testable import ChatStore

@Suite("When the search index is updated")
struct IndexingPaceTests {
    @Test("messages from an earlier run are indexed immediately, unless there is a write")
    func beginning() {
        let pace = IndexingPace()
        #expect(pace.delay() == nil)
        pace.writeBegan()
        #expect(pace.delay() != nil)
        #expect(pace.hasWriter)
        pace.writeEnded(leaving: 1)
        #expect(!pace.hasWriter)
        #expect(pace.delay() != nil)
    }

    @Test("many messages do not wait for a quiet period, but for the end of a write")
    func many() {
        let pace = IndexingPace()
        pace.writeBegan()
        pace.writeEnded(leaving: 1)
        #expect(pace.delay() != nil)
        pace.writeBegan()
        pace.writeEnded(leaving: 5000)
        #expect(pace.delay() == nil)
        pace.writeBegan()
        #expect(pace.delay() != nil)
    }

    @Test("indexing runs once, and continues with what was added meanwhile")
    func completion() {
        let pace = IndexingPace()
        #expect(pace.start())
        #expect(!pace.start())
        pace.writeBegan()
        pace.writeEnded(leaving: 3)
        let waiting = pace.waiting
        pace.writeBegan()
        pace.writeEnded(leaving: 2)
        #expect(!pace.complete(waiting))
        #expect(!pace.start())
        #expect(pace.complete(pace.waiting))
        #expect(pace.start())
        pace.stop()
        #expect(pace.start())
    }

    @Test("indexing stops for a write, and continues where it stopped")
    func interruption() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.open(at: folder.path + "/chat.db")
        try await store.write { store throws(StoreError) in
            let key = ConversationKey(account: try store.addAccount(.juliet), address: .romeo, kind: .direct)
            for number in 0..<200 {
                _ = try store.receive(.text("word \(number)", origin: "\(number)", at: Int64(number)), in: key)
            }
            guard let transaction = store as? SQLiteTransaction else { return }
            #expect(try transaction.indexWaiting(limit: 1000) { true })
            let rest = try transaction.connection.integer("SELECT count(*) FROM unindexed")
            #expect(rest == 136)
            #expect(try store.search(SearchRequest("word", limit: 500)).messages.count == 200)
            #expect(try !transaction.indexWaiting(limit: 1000) { false })
            #expect(try store.search(SearchRequest("word", limit: 500)).messages.count == 200)
        }
        #expect(try await store.verify().isEmpty)
        await store.close()
    }
}
