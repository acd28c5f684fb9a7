internal import CSQLite

/// One value of a parameter or column.
enum SQLiteValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    /// The 16 bytes of a UUID: a blob without an allocation of its own. Rows return it as a blob.
    case uuid(UInt64, UInt64)

    init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
    init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
    init(_ value: String?) { self = value.map { .text($0) } ?? .null }
    init(_ value: [UInt8]?) { self = value.map { .blob($0) } ?? .null }
    init(_ value: Bool) { self = .integer(value ? 1 : 0) }
    init(_ value: MessageID?) { self.init(value?.rawValue) }
    init(_ value: ConversationID?) { self.init(value?.rawValue) }
    init(_ value: AccountID?) { self.init(value?.rawValue) }
    init(_ value: MessageTime?) { self.init(value?.millisecondsSince1970) }
}

/// A prepared statement. It belongs to its connection, which finalizes it.
final class SQLiteStatement {
    fileprivate let handle: OpaquePointer
    var isRunning = false

    init(_ handle: OpaquePointer) { self.handle = handle }

    func bind(_ values: [SQLiteValue]) -> Int32 {
        var index: Int32 = 0
        for value in values {
            index += 1
            let code = bind(value, at: index)
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let number): return sqlite3_bind_int64(handle, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    guard let base = characters.baseAddress else {
                        return sqlite3_bind_text_copied(handle, index, "", 0)
                    }
                    return sqlite3_bind_text_copied(handle, index, base, UInt64(characters.count))
                }
            }
        case .uuid(let high, let low):
            return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
                sqlite3_bind_blob_copied(handle, index, bytes.baseAddress, UInt64(bytes.count))
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return sqlite3_bind_zeroblob(handle, index, 0) }
                return sqlite3_bind_blob_copied(handle, index, base, UInt64(bytes.count))
            }
        }
    }

    func step() -> Int32 { sqlite3_step(handle) }

    func reset() {
        isRunning = false
        sqlite3_reset(handle)
    }

    func finalize() { sqlite3_finalize(handle) }
}

/// The current row of a statement; invalid after the next step.
struct SQLiteRow {
    private let handle: OpaquePointer

    init(_ statement: SQLiteStatement) { handle = statement.handle }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func bool(_ column: Int32) -> Bool { integer(column) != 0 }

    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func blob(_ column: Int32) -> [UInt8] {
        let count = Int(sqlite3_column_bytes(handle, column))
        guard count > 0, let bytes = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }

    func value(_ column: Int32) -> SQLiteValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(blob(column))
        default: .null
        }
    }

    var columnCount: Int32 { sqlite3_column_count(handle) }

    func time(_ column: Int32) -> MessageTime { MessageTime(millisecondsSince1970: integer(column)) }

    func optionalTime(_ column: Int32) -> MessageTime? {
        optionalInteger(column).map { MessageTime(millisecondsSince1970: $0) }
    }

    func messageID(_ column: Int32) -> MessageID { MessageID(rawValue: integer(column)) }

    func optionalMessageID(_ column: Int32) -> MessageID? { optionalInteger(column).map { MessageID(rawValue: $0) } }
}
