internal import ChatStore
internal import Glibc
internal import Localization

/// The lines of an import, one after the other.
final class LineReader {
    private let file: UnsafeMutablePointer<FILE>
    private var buffer: UnsafeMutablePointer<CChar>?
    private var capacity = 0
    /// The number of the last line read.
    private(set) var number = 0

    /// - Parameter path: `-` is standard input.
    init(_ path: String) throws(CommandError) {
        guard let opened = path == "-" ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "re") else {
            throw .failed(localized("The file %@ cannot be read.", path))
        }
        file = opened
    }

    deinit {
        free(buffer)
        fclose(file)
    }

    /// The next line without its end; `nil` after the last one.
    func next() throws(StoreError) -> String? {
        var count = getline(&buffer, &capacity, file)
        guard count >= 0, let buffer else {
            if ferror(file) != 0 { throw StoreError(.system, String(cString: strerror(errno))) }
            return nil
        }
        number += 1
        while count > 0, [10, 13].contains(buffer[count - 1]) { count -= 1 }
        return buffer.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
            String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }
    }
}

/// A file that is written completely or not at all, readable for its owner only; or standard output.
final class WholeFile: Sendable {
    private let descriptor: Int32
    private let path: String?
    private let beside: String

    /// - Parameter path: `nil` is standard output.
    init(_ path: String?) throws(CommandError) {
        self.path = path
        beside = (path ?? "") + ".part-\(getpid())"
        guard path != nil else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    func write(_ bytes: [UInt8]) throws(StoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if errno != EINTR {
                throw StoreError(errno == ENOSPC ? .diskFull : .system, String(cString: strerror(errno)))
            }
        }
    }

    /// Moves the file to its path.
    func finish() throws(CommandError) {
        guard let path else { return }
        let isWritten = fsync(descriptor) == 0
        guard close(descriptor) == 0, isWritten, rename(beside, path) == 0 else {
            unlink(beside)
            throw Self.failure(path)
        }
    }

    /// Removes the written data.
    func discard() {
        guard path != nil else { return }
        close(descriptor)
        unlink(beside)
    }

    static func failure(_ path: String?) -> CommandError {
        .failed(localized("%@ cannot be written.", path ?? "-"))
    }
}
