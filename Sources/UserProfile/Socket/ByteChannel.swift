internal import Dispatch
internal import Glibc
internal import Synchronization
internal import XMPPClient

/// One side of a connection to another program on this computer: a connected Unix socket, or standard input and output.
///
/// A peer that does not read costs no more than ``waitingLimit``: until it has read, nothing more is read from it.
package final class ByteChannel: Sendable {
    /// The number of bytes that wait for a peer from which on nothing is read from it.
    package static let waitingLimit = 1 << 20

    private struct State {
        var isOpen = true
        var waitingBytes = 0
    }

    private let input: Int32
    private let output: Int32
    private let isSocket: Bool
    private let state = Mutex(State())
    private let writing = DispatchQueue(label: "hongyan.profile.channel")

    /// - Parameters:
    ///   - socket: of a connected socket, which this closes.
    ///   - timeout: how often ``read(isExpected:_:)`` asks whether the peer is still expected to send something, in
    ///     seconds.
    package init(socket: Int32, timeout: Int) {
        (input, output, isSocket) = (socket, socket, true)
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// A connection to the program that has a profile open; `nil` if there is none of this user.
    package convenience init?(connectingTo profile: Profile) {
        guard let descriptor = SocketLocation(profile).connect() else { return nil }
        self.init(socket: descriptor, timeout: ProfileSocket.timeout)
        guard isFromSameUser else { return nil }
    }

    /// - Parameters: descriptors that stay open.
    package init(input: Int32, output: Int32) { (self.input, self.output, isSocket) = (input, output, false) }

    deinit { if isSocket { Glibc.close(input) } }

    /// Whether the peer is the same user.
    var isFromSameUser: Bool {
        // `struct ucred` of the kernel: process, user, group.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        return getsockopt(input, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0
            && credentials.user == geteuid()
    }

    private var isOpen: Bool { state.withLock { $0.isOpen } }

    /// The number of bytes that wait for the peer.
    package var waitingBytes: Int { state.withLock { $0.waitingBytes } }

    // MARK: Reading

    /// Reads until the peer closes, a closure returns `false`, or ``close()`` is called. It blocks, so it needs its own
    /// thread.
    ///
    /// - Parameters:
    ///   - isExpected: called regularly; returns whether to continue.
    ///   - body: called with each piece.
    package func read(isExpected: () -> Bool, _ body: ([UInt8]) -> Void) {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while isOpen {
            // A peer that asks and does not read is not heard.
            if waitingBytes > Self.waitingLimit { writing.sync {} }
            let count = Glibc.read(input, &piece, piece.count)
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN || errno == EWOULDBLOCK, isSocket, isExpected() else { return }
                continue
            }
            guard count > 0 else { return }
            body(Array(piece[..<count]))
            guard isExpected() else { return }
        }
    }

    /// Returns when the peer of a socket is gone or the connection is closed here. It blocks, so it needs its own thread.
    func waitForHangUp() {
        // Without events only the end is reported (poll(2)).
        var end = pollfd(fd: input, events: 0, revents: 0)
        while poll(&end, 1, -1) < 0, errno == EINTR {}
    }

    // MARK: Writing

    /// Writes after everything that waits. Without a peer it is dropped.
    package func write(_ bytes: [UInt8]) {
        let isAccepted = state.withLock { state in
            if state.isOpen { state.waitingBytes += bytes.count }
            return state.isOpen
        }
        guard isAccepted else { return }
        writing.async { [self] in
            if !send(bytes) { close() }
            state.withLock { $0.waitingBytes -= bytes.count }
        }
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard isOpen else { return false }
            let count = rest.withUnsafeBytes {
                isSocket
                    ? Glibc.send(output, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    : Glibc.write(output, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var wait = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
                continue
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits, if too much waits for the peer, until it has read it: for those who would write more.
    package func waitForRoom() async {
        guard waitingBytes > Self.waitingLimit else { return }
        await writing.run {}
    }

    // MARK: The end

    /// Tells the peer, after everything was written, that nothing more comes.
    package func finishWriting() {
        writing.async { [self] in if isSocket { shutdown(output, Int32(SHUT_WR)) } }
    }

    /// Closes the connection after everything was written.
    package func finish() {
        writing.async { [self] in close() }
    }

    /// Waits until everything was written.
    package func flush() async {
        await writing.run {}
    }

    /// Ends the connection now, which also ends ``read(isExpected:_:)`` of a socket. Its descriptor is closed with this
    /// object.
    package func close() {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        if wasOpen, isSocket { shutdown(input, Int32(SHUT_RDWR)) }
    }
}
