import Glibc

/// A file to which lines are appended, each durable before the call returns.
final class LineFile: Sendable {
    struct Failure: Error {
        var errno: Int32
    }

    private let descriptor: Int32

    init(path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    func append(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == bytes.count, fdatasync(descriptor) == 0 else { throw Failure(errno: errno) }
    }
}
