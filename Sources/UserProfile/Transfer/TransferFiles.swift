package import ChatStore
internal import Glibc
internal import Localization

/// The lines of an import, one after the other.
package final class LineReader {
    private let file: UnsafeMutablePointer<FILE>
    private var buffer: UnsafeMutablePointer<CChar>?
    private var capacity = 0
    /// The number of the last line read.
    package private(set) var number = 0

    /// - Parameter path: `-` is standard input.
    package init(_ path: String) throws(HistoryFileFailure) {
        guard let opened = path == "-" ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "re") else {
            throw HistoryFileFailure(localized("The file %@ cannot be read.", path))
        }
        file = opened
    }

    deinit {
        free(buffer)
        fclose(file)
    }

    /// The next line without its end; `nil` after the last one.
    package func next() throws(StoreError) -> String? {
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
package final class WholeFile: Sendable {
    private let descriptor: Int32
    private let path: String?
    private let beside: String

    /// - Parameter path: `nil` is standard output.
    package init(_ path: String?) throws(HistoryFileFailure) {
        self.path = path
        beside = (path ?? "") + ".part-\(getpid())"
        guard path != nil else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    package func write(_ bytes: [UInt8]) throws(StoreError) {
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
    package func finish() throws(HistoryFileFailure) {
        guard let path else { return }
        let isWritten = fsync(descriptor) == 0
        guard close(descriptor) == 0, isWritten, rename(beside, path) == 0 else {
            unlink(beside)
            throw Self.failure(path)
        }
    }

    /// Removes the written data.
    package func discard() {
        guard path != nil else { return }
        close(descriptor)
        unlink(beside)
    }

    package static func failure(_ path: String?) -> HistoryFileFailure {
        HistoryFileFailure(localized("%@ cannot be written.", path ?? "-"))
    }
}

/// The lines of a file for the store.
///
/// `@unchecked Sendable`: the store asks its one iterator for one line after the other, and ``lastNumber`` is asked when the
/// import has ended, so the reader is never used by two at a time.
package struct ImportedLines: AsyncSequence, @unchecked Sendable {
    package typealias Element = String

    private let reader: LineReader

    package init(_ reader: LineReader) { self.reader = reader }

    /// The number of the last line read.
    package var lastNumber: Int { reader.number }

    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: LineReader

        package mutating func next() async throws -> String? { try reader.next() }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }
}

/// Why a file of an export could not be opened or written, as a sentence for the user.
package struct HistoryFileFailure: Error, Sendable, Hashable {
    package let message: String

    package init(_ message: String) { self.message = message }
}
