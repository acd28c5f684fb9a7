#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The open file of a journal, locked against other writers. All its calls block.
///
/// Only the owner may read it (mode 0600), because it contains messages. A symbolic link is not followed.
struct JournalFile: ~Copyable {
    private var descriptor: Int32
    private let path: String

    /// Opens the file, creates it if necessary, and locks it.
    init(path: String) throws(ClientError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("opened", path) }
        var status = stat()
        let isOurs = fstat(descriptor, &status) == 0 && status.st_uid == geteuid()
        guard isOurs, status.st_mode & S_IFMT == S_IFREG, fchmod(descriptor, 0o600) == 0 else {
            throw ClientError(.storeFailed, "\(path) is no file of one's own.")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw ClientError(.storeFailed, "\(path) is in use by another program.")
        }
    }

    deinit { Self.release(descriptor) }

    /// Closes the file and releases its lock; later calls fail.
    mutating func letGo() {
        Self.release(descriptor)
        descriptor = -1
    }

    /// Closing is not enough: a child process that is being started shares the open file and its lock until it
    /// executes.
    private static func release(_ descriptor: Int32) {
        guard descriptor >= 0 else { return }
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    func readAll() throws(ClientError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("read", path) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled, off_t(filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("read", path) }
            guard count > 0 else { break }
            filled += count
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    /// Writes after the valid part of the file, and makes it durable.
    func append(_ bytes: [UInt8], at offset: Int) throws(ClientError) {
        guard Self.write(bytes, to: descriptor, at: offset), fdatasync(descriptor) == 0 else {
            throw Self.failure("written", path)
        }
    }

    /// Removes the invalid end.
    func truncate(to length: Int) throws(ClientError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw Self.failure("written", path) }
    }

    /// Replaces this file atomically: after a crash, either the old or the new file exists.
    mutating func replace(with bytes: [UInt8]) throws(ClientError) {
        let newPath = path + ".new"
        unlink(newPath)
        let new = open(newPath, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard new >= 0 else { throw Self.failure("written", newPath) }
        guard flock(new, LOCK_EX | LOCK_NB) == 0, Self.write(bytes, to: new, at: 0), fsync(new) == 0,
            rename(newPath, path) == 0
        else {
            let failure = Self.failure("written", newPath)
            close(new)
            unlink(newPath)
            throw failure
        }
        close(descriptor)
        descriptor = new
        // Otherwise the old file may reappear after a power failure. It is older, but not wrong.
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written, off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    private static func failure(_ action: String, _ path: String) -> ClientError {
        ClientError(.storeFailed, "\(path) could not be \(action): \(String(cString: strerror(errno))).")
    }
}
