import CSQLite

/// An SQLite file with only what another program's queries need: their cost here is the minimum of their cost in that
/// program.
final class PlainDatabase {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
    }

    private let handle: OpaquePointer
    private let keepsStatements: Bool
    private var statements: [String: OpaquePointer] = [:]

    /// - Parameter keepsStatements: statements are prepared once, not each time.
    init(path: String, keepsStatements: Bool) throws {
        self.keepsStatements = keepsStatements
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw Failure(description: "\(path) cannot be opened (\(code))")
        }
        handle = opened
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    private func failure(_ sql: String) -> Failure {
        Failure(description: "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
    }

    @discardableResult
    func run(_ sql: String, _ values: [Value] = []) throws -> Int64 {
        _ = try rows(sql, values) { _ in }
        return sqlite3_last_insert_rowid(handle)
    }

    /// Reads all rows, or the first few, with all their columns.
    ///
    /// - Returns: the number of rows.
    @discardableResult
    func rows(_ sql: String, _ values: [Value] = [], limit: Int = .max, _ body: (Row) throws -> Void) throws -> Int {
        let statement: OpaquePointer
        if let kept = statements[sql] {
            statement = kept
        } else {
            var prepared: OpaquePointer?
            guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let prepared else {
                throw failure(sql)
            }
            statement = prepared
            if keepsStatements { statements[sql] = prepared }
        }
        defer {
            if keepsStatements {
                sqlite3_reset(statement)
            } else {
                sqlite3_finalize(statement)
            }
        }
        for (index, value) in values.enumerated() {
            let number = Int32(index + 1)
            switch value {
            case .null: sqlite3_bind_null(statement, number)
            case .integer(let integer): sqlite3_bind_int64(statement, number, integer)
            case .real(let real): sqlite3_bind_double(statement, number, real)
            case .text(let text): _ = sqlite3_bind_text_copied(statement, number, text, UInt64(text.utf8.count))
            }
        }
        var count = 0
        while count < limit {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                count += 1
                let row = Row(statement: statement)
                row.readAll()
                try body(row)
            case SQLITE_DONE: return count
            default: throw failure(sql)
            }
        }
        return count
    }

    struct Row {
        fileprivate let statement: OpaquePointer

        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
        func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

        /// Like a program that creates an object from the row.
        fileprivate func readAll() {
            for column in 0..<sqlite3_column_count(statement) { _ = sqlite3_column_text(statement, column) }
        }
    }
}
