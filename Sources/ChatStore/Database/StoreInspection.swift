internal import Foundation

/// The result of inspecting the file of a store. The inspection changes nothing.
public struct StoreInspection: Sendable, Equatable {
    /// The schema version of the file, and the newest one that this program knows; `nil` if it cannot be read.
    public internal(set) var schema: Int64?
    public internal(set) var newestSchema: Int64
    /// The size of the file, and of its write-ahead log that was not checkpointed yet, in bytes.
    public internal(set) var fileSize: Int64 = 0
    public internal(set) var logSize: Int64 = 0
    public internal(set) var accounts: Int64 = 0
    public internal(set) var conversations: Int64 = 0
    /// Messages, without corrections, reactions and retractions.
    public internal(set) var messages: Int64 = 0
    /// Messages that wait to be sent.
    public internal(set) var queued: Int64 = 0
    /// Messages that are not in the search index yet; they are found by scanning.
    public internal(set) var unindexed: Int64 = 0
    /// The last program did not close the store; nothing is lost by that.
    public internal(set) var wasNotClosed = false
    /// The damage as SQLite reports it. The next program that opens the file renames it and recovers what can be read.
    public internal(set) var problems: [String] = []
}

extension SQLiteStore {
    /// Inspects the file of a store without opening it for use: nothing is migrated, repaired or indexed.
    ///
    /// Reads the whole file, which takes seconds for a million messages.
    ///
    /// - Returns: `nil` if there is no file.
    /// - Throws: `inUse` if another program has it open, `cannotOpen` if it cannot be read.
    public static func inspect(_ path: String) async throws(StoreError) -> StoreInspection? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let lock: StoreLock?
        do throws(StoreError) {
            lock = try StoreLock(for: path)
        } catch  where error.code == .readOnly {
            // The file is read-only, so no lock is needed.
            lock = nil
        }
        defer { lock?.release() }
        var found = StoreInspection(newestSchema: Migration.all.last?.number ?? 0)
        found.fileSize = size(of: path)
        found.logSize = size(of: path + "-wal")
        // Without a log, reading creates no files.
        let mode: SQLiteConnection.Mode = found.logSize == 0 ? .immutable : .readOnly
        let connection = StoreConnectionActor(label: "hongyan.store.inspection") { () throws(StoreError) in
            try StoreSettings.reader(path: path, mode: mode)
        }
        let start = found
        do throws(StoreError) {
            found = try await connection.use { connection throws(StoreError) in
                try inspection(of: connection, start)
            }
        } catch  where error.code == .corrupt {
            found.problems = [error.description]
        }
        await connection.close()
        if found.problems.isEmpty, StoreVerification.isMarked(path) {
            found.problems = ["damage was found earlier"]
        }
        return found
    }

    private static func inspection(
        of connection: SQLiteConnection, _ start: StoreInspection
    ) throws(StoreError) -> StoreInspection {
        var found = start
        let schema = try connection.integer("PRAGMA user_version") ?? 0
        found.schema = schema
        // The tables of a newer schema are unknown; tables of an older one can be missing.
        guard schema > 0, schema <= found.newestSchema else { return found }
        found.problems = try StoreVerification.problems(in: connection)
        guard found.problems.isEmpty else { return found }
        func count(_ sql: String) throws(StoreError) -> Int64 { try connection.integer(sql) ?? 0 }
        found.accounts = try count("SELECT count(*) FROM accounts")
        found.conversations = try count("SELECT count(*) FROM conversations")
        found.messages = try count("SELECT count(*) FROM messages WHERE kind = 0")
        found.queued = try count("SELECT count(*) FROM send_queue")
        found.unindexed = try count("SELECT count(*) FROM unindexed")
        found.wasNotClosed = try count("SELECT value FROM properties WHERE name = 'closed'") == 0
        return found
    }

    private static func size(of path: String) -> Int64 {
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber
        return size?.int64Value ?? 0
    }
}

/// Finds damage in the file of a store.
enum StoreVerification {
    /// The maximum number of reported problems.
    private static let limit = 20

    static func problems(in connection: SQLiteConnection) throws(StoreError) -> [String] {
        var problems: [String] = []
        do throws(StoreError) {
            problems = try connection.rows("PRAGMA quick_check(\(limit))") { row throws(StoreError) in row.text(0) }
                .filter { $0 != "ok" }
            if problems.isEmpty {
                let orphans = try connection.rows("PRAGMA foreign_key_check") { row throws(StoreError) in
                    "a row of \(row.text(0)) refers to a row of \(row.text(2)) that is missing"
                }
                problems = Array(orphans.prefix(limit))
            }
        } catch  where error.code == .corrupt {
            problems.append(error.description)
        }
        return problems
    }

    // The mark is a separate file, because nothing should be written into a damaged one.

    static func mark(_ path: String) { _ = FileManager.default.createFile(atPath: path + ".damaged", contents: nil) }

    static func isMarked(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + ".damaged") }

    static func unmark(_ path: String) { try? FileManager.default.removeItem(atPath: path + ".damaged") }
}

extension SQLiteTransaction {
    /// Empties the search index and queues every message with a text for it.
    func resetIndex() throws(StoreError) {
        try connection.execute(
            """
            DROP TABLE IF EXISTS search;
            CREATE VIRTUAL TABLE search USING fts5 (
                grams, content = '', detail = none, columnsize = 0, tokenize = "ascii tokenchars '_'"
            );
            INSERT OR IGNORE INTO unindexed (message)
            SELECT m.id FROM messages m LEFT JOIN messages e ON e.id = m.current_edit
            WHERE m.kind = 0 AND m.retraction IS NULL AND coalesce(e.body, m.body, '') <> '';
            """)
        unindexed += 1
    }
}
