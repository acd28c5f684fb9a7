internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An exclusive lock, held until it is released or deallocated: no second program, and no second store of this program,
/// can write the same file.
///
/// The system releases it when the process ends, however it ends, so it never stays behind.
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
        descriptor = Mutex(opened)
    }

    deinit { release() }

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
