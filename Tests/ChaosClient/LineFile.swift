import Glibc

/// A file to which lines are appended, each completely or not at all.
final class LineFile: Sendable {
    struct Failure: Error {
        var errno: Int32
    }

    private let descriptor: Int32
    private let isDurable: Bool

    /// - Parameter isDurable: whether a line is on the disk when the call returns.
    init(path: String, isDurable: Bool) throws {
        self.isDurable = isDurable
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    func append(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        let error = errno
        guard written == bytes.count else {
            // Removes the part of a line that was written on a full disk.
            if written > 0, isDurable { ftruncate(descriptor, lseek(descriptor, 0, SEEK_END) - off_t(written)) }
            throw Failure(errno: written < 0 ? error : ENOSPC)
        }
        guard !isDurable || fdatasync(descriptor) == 0 else { throw Failure(errno: errno) }
    }
}
