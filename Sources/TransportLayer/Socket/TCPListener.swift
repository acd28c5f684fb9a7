import CEpoll
import Glibc
import Waiting

/// Accepts TCP connections.
public final actor TCPListener {
    public nonisolated let loop: EventLoop
    /// The actual address; for port 0, the kernel chose the port.
    public nonisolated let address: SocketAddress
    private let limits: TransportLimits
    private var descriptor: Int32
    private var token: UInt64 = 0
    private let turns = AsyncLock()
    private nonisolated let arrival = Signal()

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// Listens at `address`.
    public static func listen(
        at address: SocketAddress, limits: TransportLimits = TransportLimits(), loop: EventLoop = .shared
    ) async throws(TransportError) -> TCPListener {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, flags, 0)
        guard descriptor >= 0 else { throw TransportError(errno: errno, "Opening a socket") }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, to: address), Glibc.listen(descriptor, SOMAXCONN) == 0,
            let port = port(of: descriptor), let bound = SocketAddress(address.address, port: port)
        else {
            let code = errno
            Glibc.close(descriptor)
            throw TransportError(errno: code, "Listening at \(address)")
        }
        let listener = TCPListener(descriptor: descriptor, address: bound, limits: limits, loop: loop)
        await listener.watch()
        return listener
    }

    private static func bind(_ descriptor: Int32, to address: SocketAddress) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.address, String(address.port), &hints, &list) == 0, let list else { return false }
        defer { freeaddrinfo(list) }
        return Glibc.bind(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) == 0
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard getsockname(descriptor, pointer, &length) == 0 else { return nil }
                // The port has the same position in both families, in network order.
                return UnsafeRawPointer(pointer).load(fromByteOffset: 2, as: UInt16.self).bigEndian
            }
        }
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

    /// The next connection. If several tasks wait, they get one each in the order of their calls.
    public func accept() async throws(TransportError) -> SocketTransport {
        guard await turns.enter() else { throw .cancelledByTask }
        defer { turns.leave() }
        while true {
            guard descriptor >= 0 else { throw .closedHere }
            let accepted = accept4(descriptor, nil, nil, Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
            if accepted >= 0 {
                let transport = SocketTransport(descriptor: accepted, loop: loop, limits: limits)
                await transport.adopt()
                return transport
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN:
                if Task.isCancelled { throw .cancelledByTask }
                await arrival.wait()
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
        arrival.send()
    }
}

extension TCPListener: EventHandler {
    package nonisolated func eventsOccurred(_ events: UInt32) { arrival.send() }
}
