internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Keeps a second program, and a second store of this one, from writing the same file: for as long as it lives.
///
/// The system lets go of it when the process ends in whichever way, so it is never left over.
final class StoreLock: Sendable {
    private let descriptor: Mutex<CInt?>

    /// - Parameter path: the store's; the lock is a file beside it.
    init(for path: String) throws(StoreError) {
        let name = path + ".lock"
        let opened = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            let code: StoreError.Code = errno == EROFS || errno == EACCES ? .readOnly : .cannotOpen
            throw StoreError(code, "\(name) cannot be made: \(String(cString: strerror(errno))).")
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
            // Closing alone is not enough: a child that is just being started holds the same open file until it runs.
            if let open = descriptor {
                flock(open, LOCK_UN)
                close(open)
            }
            descriptor = nil
        }
    }

    /// Makes the file of the database so that only its owner can read it; what SQLite puts beside it follows suit.
    static func makeFile(_ path: String) throws(StoreError) {
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            let code: StoreError.Code = errno == EROFS || errno == EACCES ? .readOnly : .cannotOpen
            throw StoreError(code, "\(path) cannot be opened: \(String(cString: strerror(errno))).")
        }
        close(opened)
    }
}
