import Foundation
import Testing
import XMPPAddress

@testable import ChatStore

@Suite("The store in a file")
struct FileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/chat.db" }

    init() throws { folder = try TemporaryFolder() }

    /// Adds messages of Romeo with these numbers.
    private func fill(_ store: SQLiteStore, _ range: Range<Int>, length: Int = 10) async throws {
        try await store.write { store throws(StoreError) in
            let key = ConversationKey(account: try store.addAccount(.juliet), address: .romeo, kind: .direct)
            for number in range {
                let body = "\(number) " + String(repeating: "x", count: length)
                _ = try store.receive(
                    .text(body, origin: "\(number)", archived: "\(number)", at: Int64(number)), in: key)
            }
        }
    }

    private func numbers(_ store: SQLiteStore) async throws -> [Int] {
        try await store.read { store throws(StoreError) in
            guard let account = try store.account(.juliet),
                let id = try store.conversation(ConversationKey(account: account.id, address: .romeo, kind: .direct))
            else { return [] }
            return try store.timeline(of: id, .newest, limit: 100_000)
                .compactMap { Int($0.text.body.prefix { $0 != " " }) }
        }
    }

    @Test("S1-11: stored data is there when the file is opened again")
    func reopening() async throws {
        var store = try await SQLiteStore.open(at: path)
        #expect(
            store.report
                == {
                    var report = SQLiteStore.OpeningReport(); report.isNew = true; return report
                }())
        try await fill(store, 0..<20)
        await store.close()
        #expect(folder.names == ["chat.db", "chat.db.lock"])
        store = try await SQLiteStore.open(at: path)
        #expect(store.report == SQLiteStore.OpeningReport())
        #expect(try await numbers(store) == Array(0..<20))
        #expect(try await store.verify().isEmpty)
        await store.close()
    }

    @Test("waiting rows are found without reading all messages, even with SQLite's statistics")
    func plans() async throws {
        let store = try await SQLiteStore.open(at: path)
        try await fill(store, 0..<500)
        try await store.finishSearchIndex()
        await store.close()
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        try connection.execute("ANALYZE")
        for query in [SQLiteTransaction.queueQuery, SQLiteTransaction.unindexedQuery] {
            let plan = try connection.rows("EXPLAIN QUERY PLAN " + query, [.integer(1)]) { row throws(StoreError) in
                row.text(3)
            }
            #expect(plan.contains { $0.contains("SEARCH m ") }, "\(plan)")
        }
    }

    @Test("the log is truncated, without waiting for readers")
    func log() throws {
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        try StoreSettings.apply(to: connection, maximumSize: nil)
        try connection.execute("CREATE TABLE numbers (number INTEGER)")
        let reader = try StoreSettings.reader(path: path, mode: .readOnly)
        func logSize() throws -> Int { try Data(contentsOf: URL(fileURLWithPath: path + "-wal")).count }
        try reader.transaction(immediate: false) { () throws(StoreError) in
            #expect(try reader.integer("SELECT count(*) FROM numbers") == 0)
            try connection.run("INSERT INTO numbers VALUES (1)")
            try StoreSettings.emptyLog(of: connection)
            #expect(try reader.integer("SELECT count(*) FROM numbers") == 0)
        }
        #expect(try logSize() > 0)
        try StoreSettings.emptyLog(of: connection)
        #expect(try logSize() == 0)
        #expect(try reader.integer("SELECT count(*) FROM numbers") == 1)
        #expect(try connection.integer("PRAGMA busy_timeout") == 5000)
    }

    @Test("only the owner can read the file")
    func mode() async throws {
        let store = try await SQLiteStore.open(at: path)
        try await fill(store, 0..<1)
        for name in folder.names where name != "chat.db-shm" {
            #expect(try folder.mode(of: name) == 0o600, "\(name)")
        }
        await store.close()
    }

    @Test("a second program is refused while the first has it open")
    func secondProgram() async throws {
        let store = try await SQLiteStore.open(at: path)
        do {
            _ = try await SQLiteStore.open(at: path)
            Issue.record("opened twice")
        } catch {
            #expect(error.code == .inUse)
            #expect(error.description == "\(path) is open in another program. Close that first.")
        }
        await store.close()
        await (try SQLiteStore.open(at: path)).close()
    }

    @Test("a second program reads while the first one writes, and sees what is new")
    func secondReader() async throws {
        let store = try await SQLiteStore.open(at: path)
        try await fill(store, 0..<5)
        let reader = try await SQLiteStore.open(at: path, isShared: true)
        #expect(reader.report.isReadOnly)
        func count() async throws -> Int {
            try await reader.read { store throws(StoreError) in try store.conversations().first?.unreadCount ?? 0 }
        }
        #expect(try await count() == 5)
        try await fill(store, 5..<9)
        #expect(try await count() == 9)
        await #expect(throws: StoreError.self) { try await fill(reader, 9..<10) }
        // The log of the first one is joined to the file, and the reader goes on.
        await store.close()
        #expect(try await count() == 9)
        await reader.close()
        await (try SQLiteStore.open(at: path)).close()
    }

    @Test("a second program does not read a file that the first one has not migrated yet")
    func unmigrated() async throws {
        let store = try await SQLiteStore.open(at: path, maximumSize: nil, migrations: Array(Migration.all.dropLast()))
        await #expect { try await SQLiteStore.open(at: path, isShared: true) } throws: {
            ($0 as? StoreError)?.code == .inUse
        }
        await store.close()
    }

    @Test("a reader sees a snapshot while the store is written")
    func snapshot() async throws {
        let store = try await SQLiteStore.open(at: path)
        try await fill(store, 0..<5)
        async let writing: Void = {
            for number in 5..<60 { try await fill(store, number..<number + 1) }
        }()
        for _ in 0..<30 {
            let seen = try await store.read { store throws(StoreError) in
                let list = try store.conversations()
                guard let conversation = list.first else { return (0, 0) }
                return (conversation.unreadCount, try store.timeline(of: conversation.id, .newest, limit: 1000).count)
            }
            #expect(seen.0 == seen.1)
        }
        try await writing
        #expect(try await numbers(store).count == 60)
        await store.close()
    }

    @Test("a full disk is reported and nothing is lost")
    func diskFull() async throws {
        let store = try await SQLiteStore.open(at: path, maximumSize: 1_000_000)
        var kept = 0
        var failure: StoreError?
        while failure == nil, kept < 10_000 {
            do {
                try await fill(store, kept..<kept + 10, length: 2000)
                kept += 10
            } catch let error as StoreError { failure = error }
        }
        #expect(failure?.code == .diskFull)
        #expect(
            failure?.description
                == "The disk is full, so nothing could be saved in \(path). Free some space and try again.")
        #expect(kept > 0)
        #expect(try await numbers(store) == Array(0..<kept))
        // Writing works again once there is space.
        try await store.write { store throws(StoreError) in
            guard let conversation = try store.conversations().first else { return }
            for message in try store.timeline(of: conversation.id, .newest, limit: 100) {
                try store.removeMessage(message.id)
            }
        }
        try await fill(store, 100_000..<100_010, length: 2000)
        #expect(try await numbers(store).suffix(10) == Array(100_000..<100_010)[...])
        await store.close()
        let again = try await SQLiteStore.open(at: path)
        #expect(try await again.verify().isEmpty)
        await again.close()
    }

    @Test("a file that is not writable is read-only, and a write reports why it failed")
    func readOnly() async throws {
        let store = try await SQLiteStore.open(at: path)
        try await fill(store, 0..<5)
        await store.close()
        let opened = try StoreOpening.openReadOnly(path, newest: Migration.all.last?.number ?? 0)
        #expect(opened.report.isReadOnly)
        do {
            try opened.connection.run("DELETE FROM messages")
            Issue.record("a file that is open for reading was changed")
        } catch {
            #expect(error.code == .readOnly)
            #expect(error.description == "\(path) cannot be written to; new messages are not saved.")
        }
        #expect(try opened.connection.integer("SELECT count(*) FROM messages") == 5)
    }

    @Test("a file of a newer version is not changed")
    func newer() async throws {
        await (try SQLiteStore.open(at: path)).close()
        do {
            let connection = try SQLiteConnection(path: path, mode: .readWrite)
            try connection.execute("PRAGMA user_version = 999")
        }
        do {
            _ = try await SQLiteStore.open(at: path)
            Issue.record("a newer file was opened")
        } catch {
            #expect(error.code == .tooNew)
        }
        // The lock is released, so the newer version can open it.
        await #expect(throws: StoreError.self) { _ = try await SQLiteStore.open(at: path) }
    }

    @Test("migrations are applied in order, each once, all or none")
    func migrations() async throws {
        let present = Migration.all.last?.number ?? 0
        let second = Migration(number: present + 1) { connection throws(StoreError) in
            try connection.execute("ALTER TABLE conversations ADD COLUMN colour TEXT")
        }
        let broken = Migration(number: present + 2) { connection throws(StoreError) in
            try connection.execute("CREATE TABLE half (id INTEGER PRIMARY KEY); SELECT nothing FROM nowhere")
        }
        var store = try await SQLiteStore.open(at: path)
        try await fill(store, 0..<3)
        await store.close()
        await #expect(throws: StoreError.self) {
            _ = try await SQLiteStore.open(at: path, maximumSize: nil, migrations: Migration.all + [second, broken])
        }
        store = try await SQLiteStore.open(at: path, maximumSize: nil, migrations: Migration.all + [second])
        #expect(store.report.migratedFrom == present)
        #expect(try await numbers(store) == [0, 1, 2])
        await store.close()
        store = try await SQLiteStore.open(at: path, maximumSize: nil, migrations: Migration.all + [second])
        #expect(store.report.migratedFrom == nil)
        await store.close()
    }

    @Test("a crash of the program is detected, and nothing is missing")
    func crash() async throws {
        do {
            let store = try await SQLiteStore.open(at: path)
            try await fill(store, 0..<10)
            // Copied while it is open, like after a crash.
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.path + "/crashed.db" + suffix)
            }
            await store.close()
        }
        let store = try await SQLiteStore.open(at: folder.path + "/crashed.db")
        #expect(store.report.wasNotClosed)
        #expect(try await numbers(store) == Array(0..<10))
        #expect(try await store.verify().isEmpty)
        await store.close()
    }

    @Test("a file that is not a database is renamed, and a new one is created")
    func notADatabase() async throws {
        let bytes = Data(repeating: 0x41, count: 10_000)
        try bytes.write(to: URL(fileURLWithPath: path))
        let store = try await SQLiteStore.open(at: path)
        let salvage = try #require(store.report.salvage)
        #expect(salvage.setAside == path + ".damaged-1")
        #expect(try Data(contentsOf: URL(fileURLWithPath: salvage.setAside)) == bytes)
        try await fill(store, 0..<3)
        #expect(try await numbers(store) == [0, 1, 2])
        await store.close()
    }

    @Test("a damaged file is detected, renamed and recovered as far as it can be read")
    func salvage() async throws {
        var store = try await SQLiteStore.open(at: path)
        try await fill(store, 0..<2000, length: 200)
        let root = try await store.read { store throws(StoreError) -> Int64 in
            guard let transaction = store as? SQLiteTransaction else { return 0 }
            return try transaction.connection.integer(
                "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 60"
            ) ?? 0
        }
        try #require(root > 1)
        await store.close()
        // One page in the middle of the messages is overwritten.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(root - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xEE, count: 4096))
        try file.close()

        store = try await SQLiteStore.open(at: path)
        #expect(store.report.salvage == nil)
        #expect(try await !store.verify().isEmpty)
        await store.close()
        store = try await SQLiteStore.open(at: path)
        let salvage = try #require(store.report.salvage)
        #expect(salvage.incomplete == ["messages"])
        let saved = try await numbers(store)
        #expect(saved.count > 1900)
        #expect(saved.count < 2000)
        #expect(saved == saved.sorted())
        #expect(try await store.verify().isEmpty)
        try await store.finishSearchIndex()
        let found = try await store.read { store throws(StoreError) in
            try store.search(SearchRequest("1999")).messages.count
        }
        #expect(found == 1)
        // The archive restores the missing messages, none of them twice.
        try await fill(store, 0..<2000, length: 200)
        #expect(try await numbers(store).sorted() == Array(0..<2000))
        await store.close()
        #expect(folder.names.contains("chat.db.damaged-1"))
        store = try await SQLiteStore.open(at: path)
        #expect(store.report == SQLiteStore.OpeningReport())
        await store.close()
    }
}
