internal import CSQLite

extension StoreError {
    /// - Parameter code: an extended result code.
    init(sqlite code: Int32, path: String, detail: String?) {
        let reason = detail ?? String(cString: sqlite3_errstr(code))
        switch code & 0xff {
        case SQLITE_FULL:
            self.init(.diskFull, "The disk is full, so nothing could be saved in \(path). Make room and try again.")
        case SQLITE_READONLY:
            self.init(.readOnly, "\(path) cannot be written to; nothing that comes now is saved.")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            self.init(.corrupt, "\(path) is damaged (\(reason)). It is repaired when the program starts the next time.")
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.busy, "Another program is using \(path) and does not let go of it.")
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            self.init(.cannotOpen, "\(path) cannot be opened: \(reason).")
        case SQLITE_CONSTRAINT:
            self.init(.constraint, "What was to be saved breaks a rule of the store: \(reason).")
        case SQLITE_IOERR:
            self.init(.system, "The disk failed while \(path) was read or written: \(reason) (\(code)).")
        default:
            self.init(.system, "\(path) could not be read or written: \(reason) (\(code)).")
        }
    }
}
