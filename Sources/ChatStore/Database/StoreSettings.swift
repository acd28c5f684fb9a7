internal import Foundation

/// The settings of connections.
enum StoreSettings {
    /// The page cache of the writer, in KiB: archive ids are random, so a long synchronisation touches all pages of an
    /// index, and the indexes of the identifiers of a million messages have this size. It is released after the
    /// synchronisation.
    private static let writerCache = 98_304
    private static let readerCache = 8_192
    /// The size of the log in pages at which it is checkpointed, and the size in bytes to which it is then truncated;
    /// not during a long synchronisation, because overwriting existing pages is faster than adding new ones.
    ///
    /// The number is large, because a long synchronisation writes most pages several times: 14 of the 20 MB that two
    /// thousand messages write among a million are pages of indexes. After a crash, recovering a log of this length
    /// takes some 100 ms.
    private static let logPages = 16_000
    private static let logLimit = 96 << 20
    /// The same while messages arrive one by one: the log is then overwritten from its beginning, while making a file
    /// longer takes the system a fifth of the time of storing a message.
    private static let liveLogPages = 960
    /// The messages of a transaction up to which they count as arriving one by one.
    static let liveMessages = 16
    /// A larger log is checkpointed and truncated as soon as there are no writes. It is larger than one that grew message
    /// by message; keeping it any longer gains nothing and occupies the disk.
    static let quietLogBytes: Int64 = 4 << 20

    static func apply(to connection: SQLiteConnection, maximumSize: Int64?) throws(StoreError) {
        // FULL: a transaction survives a loss of power, because it was acknowledged to the server.
        // FAST: deleted data is overwritten where that needs no further write.
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

    /// The size of the log in pages at which the commit of a transaction with so many new messages checkpoints it.
    static func logPages(adding messages: Int) -> Int { messages > liveMessages ? logPages : liveLogPages }

    /// The size of a file's log in bytes.
    static func logBytes(of path: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
        return attributes?[.size] as? Int64 ?? 0
    }

    /// Checkpoints and truncates the log, unless another connection is reading; it does not wait for readers.
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
