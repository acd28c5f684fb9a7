import CEpoll
import Glibc

extension SocketTransport {
    /// Connects to an address.
    ///
    /// - Throws: `connectionRefused`, `unreachable`, `timedOut`, `cancelled`, `system`.
    public static func connect(
        to address: SocketAddress, timeout: Duration = .seconds(15), limits: TransportLimits = TransportLimits(),
        loop: EventLoop = .shared
    ) async throws(TransportError) -> SocketTransport {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, flags, 0)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "Opening a socket") }
        let transport = SocketTransport(descriptor: descriptor, loop: loop, limits: limits)
        try await transport.connect(to: address, timeout: timeout)
        return transport
    }

    private func connect(to address: SocketAddress, timeout: Duration) async throws(TransportError) {
        setSocketOptions()
        let operation = "Connecting to \(address)"
        let code = address.withSockaddr { Glibc.connect(descriptor, $0, $1) } ?? -1
        if code != 0 && errno != EINPROGRESS {
            let error = TransportError(errno: errno, operation)
            fail(error)
            throw error
        }
        watch()
        let timer = loop.state.schedule(after: timeout) { [weak self] in
            self?.onLoop {
                if $0.phase == .connecting {
                    $0.fail(TransportError(.timedOut, "\(operation): no answer within \(timeout)."))
                }
            }
        }
        defer { loop.state.cancelTimer(timer) }
        while true {
            if let failure { throw failure }
            // A socket without a response yet has neither an error nor a peer.
            let problem = pendingError()
            if problem != 0 {
                let error = TransportError(errno: problem, operation)
                fail(error)
                throw error
            }
            if isWritable && remoteAddress != nil { break }
            isWritable = false
            guard await waitForWriting(isCancellable: true, until: { isWritable }) else {
                fail(.cancelledByTask)
                throw .cancelledByTask
            }
        }
        phase = .open
    }

    /// Adopts a connection that a listener accepted.
    package func adopt() {
        setSocketOptions()
        watch()
        phase = .open
    }

    private func pendingError() -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
    }
}
