internal import CSQLite

/// Why the store could not read or write: a code for programs and a message in English for logs.
///
/// With every code, nothing of the failed transaction was written, and everything before it is still stored.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure. More kinds may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    public let code: Code

    /// What happened and how to resolve it.
    public let description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension StoreError.Code {
    /// The disk is full, or the file has reached the maximum size of the store.
    public static let diskFull = Self("disk full")
    /// The file, its folder or its file system is not writable.
    public static let readOnly = Self("read only")
    /// The file is damaged or not a database.
    public static let corrupt = Self("corrupt")
    /// Another connection held its lock on the file for too long.
    public static let busy = Self("busy")
    /// The store is open in another program.
    public static let inUse = Self("in use")
    /// The file cannot be opened or created.
    public static let cannotOpen = Self("cannot open")
    /// The file was written by a newer version of this program.
    public static let tooNew = Self("too new")
    /// A constraint of the schema was violated by an invalid value.
    public static let constraint = Self("constraint")
    /// The object does not exist, or its state does not allow the operation.
    public static let invalidRequest = Self("invalid request")
    /// A line of the import cannot be decoded.
    public static let invalidImport = Self("invalid import")
    /// The system failed to read, write or lock.
    public static let system = Self("system error")
    /// The store was closed.
    public static let closed = Self("closed")
}

extension StoreError {
    /// - Parameter code: an extended result code.
    init(sqlite code: Int32, path: String, detail: String?) {
        let reason = detail ?? String(cString: sqlite3_errstr(code))
        switch code & 0xff {
        case SQLITE_FULL:
            self.init(
                .diskFull, "The disk is full, so nothing could be saved in \(path). Free some space and try again.")
        case SQLITE_READONLY:
            self.init(.readOnly, "\(path) cannot be written to; new messages are not saved.")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            self.init(.corrupt, "\(path) is damaged (\(reason)). It is repaired the next time the program starts.")
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.busy, "\(path) is locked by another program.")
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            self.init(.cannotOpen, "\(path) cannot be opened: \(reason).")
        case SQLITE_CONSTRAINT:
            self.init(.constraint, "The change violates a constraint of the store: \(reason).")
        case SQLITE_IOERR:
            self.init(.system, "The disk failed while reading or writing \(path): \(reason) (\(code)).")
        default:
            self.init(.system, "\(path) could not be read or written: \(reason) (\(code)).")
        }
    }
}

extension StoreError {
    package static var tooManyEventReaders: Self {
        Self(.invalidRequest, "There are \(EventLog.readerLimit) readers of events already; remove one first.")
    }
    package static var noSuchEvent: Self { Self(.invalidRequest, "There is no such event yet.") }
    package static var noSuchEventReader: Self { Self(.invalidRequest, "There is no such reader of events.") }
}
