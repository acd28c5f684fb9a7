import Testing

@testable import ChatStore

@Suite("When the search index is brought up to date")
struct IndexingPaceTests {
    @Test("what waits from an earlier run is indexed at once, unless somebody writes")
    func beginning() {
        let pace = IndexingPace()
        #expect(pace.pause() == nil)
        pace.writerCame()
        #expect(pace.pause() != nil)
        #expect(pace.hasWriter)
        pace.writerWent(leaving: 1)
        #expect(!pace.hasWriter)
        #expect(pace.pause() != nil)
    }

    @Test("many do not wait for a rest, but for whoever writes")
    func many() {
        let pace = IndexingPace()
        pace.writerCame()
        pace.writerWent(leaving: 1)
        #expect(pace.pause() != nil)
        pace.writerCame()
        pace.writerWent(leaving: 5000)
        #expect(pace.pause() == nil)
        pace.writerCame()
        #expect(pace.pause() != nil)
    }

    @Test("it runs once, and goes on for what came meanwhile")
    func completion() {
        let pace = IndexingPace()
        #expect(pace.start())
        #expect(!pace.start())
        pace.writerCame()
        pace.writerWent(leaving: 3)
        let waiting = pace.waiting
        pace.writerCame()
        pace.writerWent(leaving: 2)
        #expect(!pace.complete(waiting))
        #expect(!pace.start())
        #expect(pace.complete(pace.waiting))
        #expect(pace.start())
        pace.stop()
        #expect(pace.start())
    }

    @Test("it stops for whoever wants to write, and goes on where it stopped")
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
