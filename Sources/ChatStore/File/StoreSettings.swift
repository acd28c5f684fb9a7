internal import Foundation

/// How connections are set up.
enum StoreSettings {
    /// Pages that the writer keeps in memory, in KiB: random names of archives touch all of an index during a long sync, and
    /// the indexes of names of a million messages are of that size. It is given back when the sync is over.
    private static let writerCache = 98_304
    private static let readerCache = 8_192
    /// The log is joined to the file when it has so many pages, and cut down to so many bytes then: not while a long sync goes
    /// on, because pages that are there already are written over faster than new ones.
    ///
    /// Many, because during a long sync most pages are written again and again before that: 14 of the 20 megabytes that two
    /// thousand messages write among a million are pages of indexes. After a crash a log of that length takes some 100 ms.
    private static let logPages = 16_000
    private static let logLimit = 96 << 20
    /// A log of more bytes is joined to the file as soon as nobody writes: some thousand messages that come one by one, each of
    /// which writes a dozen pages. Nothing is gained by more of it then, and a disk has other uses.
    static let quietLogBytes: Int64 = 4 << 20

    static func apply(to connection: SQLiteConnection, maximumSize: Int64?) throws(StoreError) {
        // FULL: what a transaction has written survives a loss of power, because it was acknowledged to the server.
        // FAST: what is removed is overwritten where that costs no further write.
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = FAST;
            PRAGMA cell_size_check = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(writerCache);
            PRAGMA wal_autocheckpoint = \(logPages);
            PRAGMA journal_size_limit = \(logLimit);
            """)
        if let maximumSize {
            let pageSize = try connection.integer("PRAGMA page_size") ?? 4096
            try connection.execute("PRAGMA max_page_count = \(max(1, maximumSize / pageSize))")
        }
    }

    /// How large the log of a file is.
    static func logBytes(of path: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
        return attributes?[.size] as? Int64 ?? 0
    }

    /// Joins the log to the file and gives its room back, unless somebody is reading: nobody waits for that.
    static func emptyLog(of connection: SQLiteConnection) throws(StoreError) {
        let timeout = try connection.integer("PRAGMA busy_timeout") ?? 0
        try connection.execute("PRAGMA busy_timeout = 0")
        defer { try? connection.execute("PRAGMA busy_timeout = \(timeout)") }
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    static func reader(path: String, mode: SQLiteConnection.Mode) throws(StoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, mode: mode)
        try connection.execute(
            """
            PRAGMA query_only = ON;
            PRAGMA cell_size_check = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(readerCache);
            """)
        return connection
    }
}
