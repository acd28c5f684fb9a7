internal import Foundation

/// Finds damage in a file.
enum StoreVerification {
    /// So many findings say enough.
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

    // The mark is a file of its own, because nothing should be written into a damaged one.

    static func mark(_ path: String) { _ = FileManager.default.createFile(atPath: path + ".damaged", contents: nil) }

    static func isMarked(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + ".damaged") }

    static func unmark(_ path: String) { try? FileManager.default.removeItem(atPath: path + ".damaged") }
}

extension SQLiteTransaction {
    /// Forgets the search index; every message with a text waits for it again.
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
