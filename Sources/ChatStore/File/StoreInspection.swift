internal import Foundation

/// What a look at the file of a store finds. Looking changes nothing, whatever is found.
public struct StoreInspection: Sendable, Equatable {
    /// The schema of the file, and the newest one that this program knows; `nil` where it cannot be read.
    public internal(set) var schema: Int64?
    public internal(set) var newestSchema: Int64
    /// The bytes of the file, and of the log beside it that was not joined to it yet.
    public internal(set) var fileSize: Int64 = 0
    public internal(set) var logSize: Int64 = 0
    public internal(set) var accounts: Int64 = 0
    public internal(set) var conversations: Int64 = 0
    /// What was said, without corrections, reactions and retractions.
    public internal(set) var messages: Int64 = 0
    /// What waits to be sent.
    public internal(set) var queued: Int64 = 0
    /// Messages that are not in the search index yet; they are found by reading them.
    public internal(set) var unindexed: Int64 = 0
    /// The last program that had it open did not close it; nothing is lost by that.
    public internal(set) var wasNotClosed = false
    /// What is damaged, in the words of SQLite. The next program that opens the file sets it aside and saves what can be
    /// read.
    public internal(set) var problems: [String] = []
}

extension SQLiteStore {
    /// Looks at the file of a store without opening it for use: nothing is migrated, repaired or indexed.
    ///
    /// Reads the whole file, which takes seconds for a million messages.
    ///
    /// - Returns: `nil` where there is no file.
    /// - Throws: `inUse` where another program has it open, `cannotOpen` where it cannot be read at all.
    public static func inspect(_ path: String) async throws(StoreError) -> StoreInspection? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let lock: StoreLock?
        do throws(StoreError) {
            lock = try StoreLock(for: path)
        } catch  where error.code == .readOnly {
            // Nobody can write to it, so nobody does.
            lock = nil
        }
        defer { lock?.release() }
        var found = StoreInspection(newestSchema: Migration.all.last?.number ?? 0)
        found.fileSize = size(of: path)
        found.logSize = size(of: path + "-wal")
        // Without a log nothing has to be made to read the file.
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
            found.problems = ["a damage was found earlier"]
        }
        return found
    }

    private static func inspection(
        of connection: SQLiteConnection, _ start: StoreInspection
    ) throws(StoreError) -> StoreInspection {
        var found = start
        let schema = try connection.integer("PRAGMA user_version") ?? 0
        found.schema = schema
        // The tables of a schema that is still to come are not known here; those of an older one can be missing.
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
