internal import Foundation
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Opens, repairs and migrates the file of a store.
enum StoreOpening {
    struct Opened {
        let connection: SQLiteConnection
        let lock: StoreLock?
        let report: SQLiteStore.OpeningReport
        let isImmutable: Bool
    }

    /// - Parameter isShared: whether a file that another program has open is opened read-only.
    static func open(
        _ path: String, maximumSize: Int64?, isShared: Bool, migrations: [Migration]
    ) throws(StoreError) -> Opened {
        var report = SQLiteStore.OpeningReport()
        let exists = FileManager.default.fileExists(atPath: path)
        let lock: StoreLock
        do throws(StoreError) {
            lock = try StoreLock(for: path)
            try StoreLock.makeFile(path)
        } catch  where error.code == .readOnly && exists {
            return try openReadOnly(path, newest: migrations.last?.number ?? 0)
        } catch  where error.code == .inUse && isShared && exists {
            return try openBeside(error, path, newest: migrations.last?.number ?? 0)
        }
        report.isNew = !exists
        if StoreVerification.isMarked(path) {
            report.salvage = try StoreSalvage.salvage(path, migrations: migrations)
        }
        let connection: SQLiteConnection
        do throws(StoreError) {
            connection = try prepare(path, maximumSize: maximumSize, migrations: migrations, report: &report)
        } catch  where error.code == .readOnly && exists {
            return try openReadOnly(path, newest: migrations.last?.number ?? 0)
        } catch  where error.code == .corrupt && report.salvage == nil {
            report.salvage = try StoreSalvage.salvage(path, migrations: migrations)
            connection = try prepare(path, maximumSize: maximumSize, migrations: migrations, report: &report)
        }
        return Opened(connection: connection, lock: lock, report: report, isImmutable: false)
    }

    private static func prepare(
        _ path: String, maximumSize: Int64?, migrations: [Migration], report: inout SQLiteStore.OpeningReport
    ) throws(StoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        try StoreSettings.apply(to: connection, maximumSize: maximumSize)
        let version = try Migration.migrate(connection, with: migrations)
        if version > 0, version < migrations.last?.number ?? 0 { report.migratedFrom = version }
        let closed = try connection.integer("SELECT value FROM properties WHERE name = 'closed'")
        report.wasNotClosed = version > 0 && closed == 0
        try connection.run("INSERT OR REPLACE INTO properties (name, value) VALUES ('closed', 0)")
        // A mark whose message did not arrive within a day is removed.
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try connection.run(
            "DELETE FROM pending_marks WHERE kind = ? AND time < ?",
            [SQLiteValue(PendingMark.Kind.state.rawValue), .integer(now - PendingMark.longestWait)])
        // Queries that every start needs anyway, so that damage there is found now.
        _ = try connection.integer("SELECT max(id) FROM messages")
        _ = try connection.integer("SELECT count(*) FROM conversations")
        do throws(StoreError) {
            _ = try connection.integer("SELECT rowid FROM search WHERE search MATCH '\"a\"' LIMIT 1")
        } catch  where error.code == .corrupt {
            try connection.transaction(immediate: true) { () throws(StoreError) in
                try SQLiteTransaction(connection, cache: ConnectionCache()).resetIndex()
            }
        }
        return connection
    }

    /// Opens a file that another program has open. Its log may grow at any time, so it is never treated as immutable.
    ///
    /// - Parameter error: what is thrown while that program creates or migrates the file.
    private static func openBeside(_ error: StoreError, _ path: String, newest: Int64) throws(StoreError) -> Opened {
        let connection = try StoreSettings.reader(path: path, mode: .readOnly)
        guard try connection.integer("PRAGMA user_version") == newest else { throw error }
        var report = SQLiteStore.OpeningReport()
        report.isReadOnly = true
        return Opened(connection: connection, lock: nil, report: report, isImmutable: false)
    }

    static func openReadOnly(_ path: String, newest: Int64) throws(StoreError) -> Opened {
        var report = SQLiteStore.OpeningReport()
        report.isReadOnly = true
        // Without a log, reading creates no files; with one, SQLite reports whether it can.
        let log = (try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int) ?? 0
        let isImmutable = log == 0
        let connection = try StoreSettings.reader(path: path, mode: isImmutable ? .immutable : .readOnly)
        guard try connection.integer("PRAGMA user_version") == newest else {
            throw StoreError(.readOnly, "\(path) must be migrated, but cannot be written to.")
        }
        return Opened(connection: connection, lock: nil, report: report, isImmutable: isImmutable)
    }
}

/// An exclusive lock, held until it is released or deallocated: no second program, and no second store of this program,
/// can write the same file.
///
/// The system releases it when the process ends, however it ends, so it never stays behind. Its file contains the number
/// of the process that locked it last, and a line feed.
final class StoreLock: Sendable {
    private let descriptor: Mutex<CInt?>

    /// - Parameter path: the path of the store; the lock is a file beside it.
    init(for path: String) throws(StoreError) {
        let name = path + ".lock"
        let opened = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            let code: StoreError.Code = errno == EROFS || errno == EACCES ? .readOnly : .cannotOpen
            throw StoreError(code, "\(name) cannot be created: \(String(cString: strerror(errno))).")
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            close(opened)
            guard reason == EWOULDBLOCK else {
                throw StoreError(.system, "\(name) cannot be locked: \(String(cString: strerror(reason))).")
            }
            throw StoreError(.inUse, "\(path) is open in another program. Close that first.")
        }
        // Tells those who wait that the holder is another one now. Without it they wait as for the one before.
        let number = "\(getpid())\n"
        if ftruncate(opened, 0) == 0 { _ = number.withCString { write(opened, $0, strlen($0)) } }
        descriptor = Mutex(opened)
    }

    deinit { release() }

    /// The process that locked the file last; `nil` if none did.
    static func holder(of path: String) -> Int32? {
        guard let bytes = FileManager.default.contents(atPath: path + ".lock") else { return nil }
        return Int32(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines))
    }

    func release() {
        descriptor.withLock { descriptor in
            // Closing alone is not enough: a child process that is being started shares the open file until it executes
            // its program.
            if let open = descriptor {
                flock(open, LOCK_UN)
                close(open)
            }
            descriptor = nil
        }
    }

    /// Creates the database file with access for its owner only; SQLite copies these permissions to the files beside
    /// it.
    static func makeFile(_ path: String) throws(StoreError) {
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            let code: StoreError.Code = errno == EROFS || errno == EACCES ? .readOnly : .cannotOpen
            throw StoreError(code, "\(path) cannot be opened: \(String(cString: strerror(errno))).")
        }
        close(opened)
    }
}
