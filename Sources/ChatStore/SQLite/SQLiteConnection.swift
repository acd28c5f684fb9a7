internal import CSQLite

/// One connection to a database file, for one thread at a time.
///
/// It is not `Sendable`: the actor that creates it owns it.
final class SQLiteConnection {
    enum Mode {
        case readWrite
        case readOnly
        /// Without a write-ahead log and locks: for a file that nothing can change.
        case immutable
    }

    let path: String
    private let handle: OpaquePointer
    private var statements: [Key: SQLiteStatement] = [:]

    /// The text of a statement with a hash that does not read all of it.
    private struct Key: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) {
            let end = sql.utf8.withContiguousStorageIfAvailable { bytes in
                bytes.suffix(4).reduce(UInt64(bytes.count)) { $0 << 8 | UInt64($1) }
            }
            hasher.combine(end ?? 0)
        }
    }

    /// Memory statistics are not needed, and they take a lock for each allocation.
    private static let withoutStatistics = sqlite3_config_without_statistics()

    init(path: String, mode: Mode, busyTimeout: Int32 = 5000) throws(StoreError) {
        self.path = path
        _ = Self.withoutStatistics
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var name = path
        switch mode {
        case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .immutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            name = "file:" + Self.percentEncoded(path) + "?immutable=1"
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let error = StoreError(sqlite: code, path: path, detail: opened.map { String(cString: sqlite3_errmsg($0)) })
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        sqlite3_busy_timeout(handle, busyTimeout)
    }

    deinit {
        for statement in statements.values { statement.finalize() }
        sqlite3_close_v2(handle)
    }

    /// Encodes a path for a URI.
    private static func percentEncoded(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                text.append(byte)
            default: text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: Statements

    /// Runs statements without parameters and without results.
    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// A prepared statement, cached for reuse.
    func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
        if let statement = statements[Key(sql: sql)] { return statement }
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code) }
        let statement = SQLiteStatement(prepared)
        statements[Key(sql: sql)] = statement
        return statement
    }

    /// Runs a statement that returns no rows.
    func run(_ sql: String, _ values: [SQLiteValue] = []) throws(StoreError) {
        let statement = try prepare(sql)
        defer { statement.reset() }
        var code = statement.bind(values)
        if code == SQLITE_OK { code = statement.step() }
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw error(code) }
    }

    /// Passes every row to a closure until it returns `false`.
    ///
    /// If the same statement is already running further up the stack, a temporary second one is prepared.
    func forEachRow(
        _ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let kept = try prepare(sql)
        let nested = kept.isRunning
        if nested { statements[Key(sql: sql)] = nil }
        let statement = nested ? try prepare(sql) : kept
        defer {
            statement.reset()
            if nested {
                statement.finalize()
                statements[Key(sql: sql)] = kept
            }
        }
        statement.isRunning = true
        var code = statement.bind(values)
        guard code == SQLITE_OK else { throw error(code) }
        while true {
            code = statement.step()
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw error(code) }
            guard try body(SQLiteRow(statement)) else { return }
        }
    }

    func rows<Element>(
        _ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) throws(StoreError) -> Element
    ) throws(StoreError) -> [Element] {
        var list: [Element] = []
        try forEachRow(sql, values) { row throws(StoreError) in
            list.append(try body(row))
            return true
        }
        return list
    }

    func firstRow<Element>(
        _ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteRow) throws(StoreError) -> Element
    ) throws(StoreError) -> Element? {
        var first: Element?
        try forEachRow(sql, values) { row throws(StoreError) in
            first = try body(row)
            return false
        }
        return first
    }

    func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(StoreError) -> Int64? {
        try firstRow(sql, values) { row throws(StoreError) in row.optionalInteger(0) } ?? nil
    }

    /// Lets each commit checkpoint the log when it has so many pages.
    func checkpointLog(ofPages count: Int) { sqlite3_wal_autocheckpoint(handle, Int32(clamping: count)) }

    /// Releases the memory of the page cache.
    func releaseMemory() { sqlite3_db_release_memory(handle) }

    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }
    var changedRows: Int { Int(sqlite3_changes(handle)) }
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether a transaction is open; some errors end it.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    func error(_ code: Int32) -> StoreError {
        StoreError(sqlite: code, path: path, detail: String(cString: sqlite3_errmsg(handle)))
    }

    // MARK: Transactions

    /// Runs a closure in a transaction: all of its changes are stored or none.
    func transaction<Result>(
        immediate: Bool, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try run(immediate ? "BEGIN IMMEDIATE" : "BEGIN")
        do throws(StoreError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // On a full disk SQLite has rolled back already; a transaction that is still open is rolled back now, and
            // the original error is thrown.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }
}
