internal import Foundation

/// What was recovered from a damaged file.
public struct SalvageReport: Sendable, Equatable {
    /// The new path of the damaged file. It is never removed.
    public internal(set) var setAside: String
    /// The number of recovered rows of each table.
    public internal(set) var rows: [String: Int] = [:]
    /// The tables that could not be read completely.
    public internal(set) var incomplete: Set<String> = []
}

/// Recovers what can be read of a damaged file.
enum StoreSalvage {
    /// Tables that others refer to come first. The search index is rebuilt from the messages.
    private static let tables = [
        "properties", "addresses", "accounts", "sessions", "archives", "contacts", "rooms", "conversations", "messages",
        "further_names", "attachments", "drafts", "pending_marks", "archive_intervals", "send_queue", "capabilities",
        "avatar_data", "avatars", "presences", "protections", "protection_records",
        "notices", "published_names",
    ]

    /// Renames the file and creates a new one with every row that can be read and whose references are valid.
    static func salvage(_ path: String, migrations: [Migration]) throws(StoreError) -> SalvageReport {
        let aside = try setAside(path)
        var report = SalvageReport(setAside: aside)
        let fresh = path + ".salvaged"
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: fresh + suffix) }
        try StoreLock.makeFile(fresh)
        do {
            let target = try SQLiteConnection(path: fresh, mode: .readWrite)
            try target.execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = FULL")
            if let source = try? SQLiteConnection(path: aside, mode: .readWrite) {
                try copy(from: source, to: target, migrations: migrations, report: &report)
            } else {
                report.incomplete = Set(tables)
                _ = try Migration.migrate(target, with: migrations)
            }
        }
        do {
            try FileManager.default.moveItem(atPath: fresh, toPath: path)
        } catch {
            throw StoreError(.system, "\(fresh) cannot be renamed to \(path).")
        }
        StoreVerification.unmark(path)
        return report
    }

    private static func setAside(_ path: String) throws(StoreError) -> String {
        var number = 1
        while FileManager.default.fileExists(atPath: "\(path).damaged-\(number)") { number += 1 }
        let aside = "\(path).damaged-\(number)"
        do {
            // The log is renamed first, so that it never ends up beside a different database.
            for suffix in ["-wal", "-shm", ""] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
            }
        } catch {
            throw StoreError(.system, "\(path) is damaged and cannot be renamed.")
        }
        return aside
    }

    private static func copy(
        from source: SQLiteConnection, to target: SQLiteConnection, migrations: [Migration],
        report: inout SalvageReport
    ) throws(StoreError) {
        // The schema of the recovered rows; later migrations run once the rows are copied.
        let version = (try? source.integer("PRAGMA user_version")) ?? nil
        let known = migrations.filter { $0.number <= version ?? .max }
        _ = try Migration.migrate(target, with: known.isEmpty ? migrations : known)
        for table in tables { try copy(table, from: source, to: target, report: &report) }
        // Entries may be lost, so this log ends, and its readers notice that.
        try target.run("DELETE FROM properties WHERE name = ?", [.text(SQLiteTransaction.eventLogProperty)])
        try removeOrphans(from: target)
        try target.transaction(immediate: true) { () throws(StoreError) in
            try SQLiteTransaction(target, cache: ConnectionCache()).resetIndex()
        }
        _ = try Migration.migrate(target, with: migrations)
    }

    private static func copy(
        _ table: String, from source: SQLiteConnection, to target: SQLiteConnection, report: inout SalvageReport
    ) throws(StoreError) {
        guard try target.integer("SELECT 1 FROM sqlite_schema WHERE name = ?", [.text(table)]) != nil else { return }
        let columns = try target.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) {
            row throws(StoreError) in row.text(0)
        }
        let keys = try target.rows(
            "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [.text(table)]
        ) { row throws(StoreError) in row.text(0) }
        let list = columns.joined(separator: ", ")
        let insertion =
            "INSERT OR IGNORE INTO \(table) (\(list)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
        var count = 0
        var isComplete = false
        try target.transaction(immediate: true) { () throws(StoreError) in
            // Reads from both ends up to the damaged part.
            for order in ["ASC", "DESC"] where !isComplete {
                let ordering = keys.map { "\($0) \(order)" }.joined(separator: ", ")
                do throws(StoreError) {
                    try source.forEachRow("SELECT \(list) FROM \(table) ORDER BY \(ordering)") {
                        row throws(StoreError) in
                        let values = (0..<row.columnCount).map { row.value($0) }
                        if (try? target.run(insertion, values)) != nil { count += target.changedRows }
                        return true
                    }
                    isComplete = true
                } catch  where error.code == .corrupt || error.code == .system {}
            }
        }
        report.rows[table] = count
        if !isComplete { report.incomplete.insert(table) }
    }

    /// Removes rows that refer to lost rows, and the rows that refer to those.
    private static func removeOrphans(from target: SQLiteConnection) throws(StoreError) {
        while true {
            let orphans = try target.rows("PRAGMA foreign_key_check") { row throws(StoreError) in
                (table: row.text(0), row: row.optionalInteger(1), parent: row.text(2))
            }
            guard !orphans.isEmpty else { break }
            var removed = 0
            for orphan in orphans {
                if let row = orphan.row {
                    try target.run("DELETE FROM \(orphan.table) WHERE rowid = ?", [.integer(row)])
                    removed += target.changedRows
                }
            }
            // A table without row ids: by the referring columns.
            for table in Set(orphans.filter { $0.row == nil }.map(\.table)) {
                let references = try target.rows("PRAGMA foreign_key_list(\(table))") { row throws(StoreError) in
                    (parent: row.text(2), column: row.text(3), key: row.optionalText(4))
                }
                for reference in references {
                    let key = reference.key ?? (reference.parent == "avatar_data" ? "hash" : "id")
                    try target.run(
                        """
                        DELETE FROM \(table) WHERE \(reference.column) IS NOT NULL
                        AND \(reference.column) NOT IN (SELECT \(key) FROM \(reference.parent))
                        """)
                    removed += target.changedRows
                }
            }
            guard removed > 0 else { break }
        }
    }
}
