internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// One side of a connected Unix socket: lines of limited length in both directions.
///
/// A peer uses no more resources than the limits: a line that is too long or too slow ends the connection, and so does
/// a peer that does not read the responses.
final class SocketLine: Sendable {
    /// The longest line in bytes: the longest text of a message (`MessageLength`) with each byte escaped.
    static let lengthLimit = 2 << 20
    /// The maximum number of bytes that wait for a peer that does not read.
    static let waitingLimit = 4 << 20
    /// The timeout of a line from its first to its last byte, and of a peer that reads nothing, in seconds.
    static let timeout = 10

    private struct State {
        var isOpen = true
        var waitingBytes = 0
    }

    private let descriptor: Int32
    private let timeout: Int
    private let state = Mutex(State())
    private let writing = DispatchQueue(label: "hongyan.profile.socket")

    /// - Parameters:
    ///   - descriptor: of a connected socket, which this closes.
    ///   - timeout: in seconds.
    init(_ descriptor: Int32, timeout: Int = SocketLine.timeout) {
        self.descriptor = descriptor
        self.timeout = timeout
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { Glibc.close(descriptor) }

    /// Whether the peer is the same user.
    var isFromSameUser: Bool {
        // `struct ucred` of the kernel: process, user, group.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0
            && credentials.user == geteuid()
    }

    /// Reads lines until the peer closes, breaks a limit, or ``close()`` is called. It blocks, so it needs its own thread.
    ///
    /// - Parameters:
    ///   - isExpected: called when nothing arrived for ``timeout`` seconds; returns whether the peer still waits for
    ///     something.
    ///   - body: called with each line without its end; `false` ends the connection.
    /// - Returns: whether the peer sent a line that was too long or too slow.
    func read(isExpected: () -> Bool, _ body: (Data) -> Bool) -> Bool {
        var rest = Data()
        var beginning: ContinuousClock.Instant?
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN || errno == EWOULDBLOCK else { return false }
                if !rest.isEmpty { return true }
                guard isExpected() else { return false }
                continue
            }
            guard count > 0 else { return false }
            rest.append(contentsOf: piece[..<count])
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = rest[rest.startIndex..<end]
                guard line.count <= Self.lengthLimit else { return true }
                guard body(Data(line)) else { return false }
                rest = Data(rest[rest.index(after: end)...])
                beginning = nil
            }
            guard rest.count <= Self.lengthLimit else { return true }
            if !rest.isEmpty {
                let start = beginning ?? .now
                beginning = start
                if .now - start > .seconds(timeout) { return true }
            }
        }
    }

    /// Writes a line after those that wait. If the peer reads nothing, the connection ends.
    func write(_ line: Data) {
        let bytes = line + [UInt8(ascii: "\n")]
        let isAccepted = state.withLock { state in
            guard state.isOpen, state.waitingBytes + bytes.count <= Self.waitingLimit else { return false }
            state.waitingBytes += bytes.count
            return true
        }
        guard isAccepted else { return close() }
        writing.async { [self] in
            if !send(bytes) { close() }
            state.withLock { $0.waitingBytes -= bytes.count }
        }
    }

    private func send(_ bytes: Data) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard state.withLock({ $0.isOpen }) else { return false }
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Closes the connection after everything was written.
    func finish() {
        writing.async { [self] in close() }
    }

    /// Ends the connection now, which also ends ``read(isExpected:_:)``. The descriptor is closed with this object.
    func close() {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        if wasOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
}
