import CEpoll
import Glibc
import Waiting

/// Accepts TCP connections, for tests and for transfers that a peer opens to us.
public actor TCPListener {
    public nonisolated let loop: EventLoop
    /// The actual address; for port 0, the kernel chose the port.
    public nonisolated let address: SocketAddress
    private let limits: TransportLimits
    private var descriptor: Int32
    private var token: UInt64 = 0
    private let changes = Broadcast()

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// Listens at `address`.
    public static func listen(
        at address: SocketAddress, limits: TransportLimits = TransportLimits(), loop: EventLoop = .shared
    ) async throws(TransportError) -> TCPListener {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, flags, 0)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "Opening a socket") }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        let isBound = address.withSockaddr { bind(descriptor, $0, $1) == 0 } ?? false
        guard isBound, Glibc.listen(descriptor, SOMAXCONN) == 0, let bound = SocketAddress(of: descriptor, getsockname)
        else {
            let code = errno
            Glibc.close(descriptor)
            throw TransportError(errno: code, "Listening at \(address)")
        }
        let listener = TCPListener(descriptor: descriptor, address: bound, limits: limits, loop: loop)
        await listener.watch()
        return listener
    }

    private init(descriptor: Int32, address: SocketAddress, limits: TransportLimits, loop: EventLoop) {
        self.descriptor = descriptor
        self.address = address
        self.limits = limits
        self.loop = loop
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
        if token != 0 {
            let loop = loop
            let token = token
            loop.execute { loop.state.unregister(token) }
        }
    }

    private func watch() {
        token = loop.state.register(descriptor, events: EPOLLIN.rawValue | EPOLLET.rawValue, handler: self)
    }

    /// The next connection.
    public func accept() async throws(TransportError) -> SocketTransport {
        while true {
            guard descriptor >= 0 else { throw .closedHere }
            let change = changes.next
            let accepted = accept4(descriptor, nil, nil, Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
            if accepted >= 0 {
                let transport = SocketTransport(descriptor: accepted, loop: loop, limits: limits)
                await transport.adopt()
                return transport
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN:
                await change.wait()
                if Task.isCancelled { throw .cancelledByTask }
            case let code: throw TransportError(errno: code, "Accepting a connection")
            }
        }
    }

    public func close() {
        guard descriptor >= 0 else { return }
        loop.state.unregister(token)
        token = 0
        Glibc.close(descriptor)
        descriptor = -1
        changes.send()
    }
}

extension TCPListener: EventHandler {
    nonisolated func eventsOccurred(_ events: UInt32) {
        changes.send()
    }
}
