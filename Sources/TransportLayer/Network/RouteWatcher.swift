import CEpoll
import Glibc

/// A routing socket of the kernel on the event loop.
///
/// The kernel's news are taken as a sign only that something has changed. What there is now is then asked for as three lists: the kernel does
/// not tell all that follows from a change (routes vanish without a word when their interface goes down), and news may be lost when too
/// many come.
actor RouteWatcher {
    /// The lists, in the order in which they are asked for: RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE, and the lengths of their structures.
    private static let lists: [(type: UInt16, bodyLength: Int)] = [(18, 16), (22, 8), (26, 12)]

    nonisolated let loop: EventLoop
    private let continuation: AsyncStream<NetworkChange>.Continuation
    private let whenReady: @Sendable () -> Void
    private var descriptor: Int32 = -1
    private var token: UInt64 = 0
    /// The name that the kernel has given the socket.
    private var port: UInt32 = 0
    private var timer: TimerQueue.Identifier?

    /// The list that is being told; `nil` between the lists.
    private var list: Int?
    private var sequence: UInt32 = 0
    private var told: [RouteMessage] = []
    /// Something has changed since the lists were asked for.
    private var isOutdated = false
    private var snapshot: NetworkSnapshot?
    /// Requests that the kernel has refused in a row.
    private var refusals = 0
    /// A kernel that refuses so often will refuse for ever.
    private static let mostRefusals = 8

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    init(
        loop: EventLoop, continuation: AsyncStream<NetworkChange>.Continuation,
        whenReady: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.whenReady = whenReady
        self.continuation = continuation
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    func start() {
        guard descriptor < 0, open() else { return end() }
        token = loop.state.register(descriptor, events: EPOLLIN.rawValue, handler: self)
        ask(for: 0)
    }

    private func open() -> Bool {
        let flags = Int32(SOCK_RAW.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_NETLINK, flags, NETLINK_ROUTE)
        guard descriptor >= 0 else { return false }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(
            RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE)
        var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        port = address.nl_pid
        return isBound
    }

    func stop() {
        if let timer { loop.state.cancelTimer(timer) }
        timer = nil
        if token != 0 { loop.state.unregister(token) }
        token = 0
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    private func end() {
        stop()
        continuation.finish()
    }

    // MARK: Lists

    private func ask(for number: Int) {
        if number == 0 {
            told = []
            isOutdated = false
        }
        list = number
        sequence &+= 1
        let request = NetlinkBytes.listRequest(
            type: Self.lists[number].type, bodyLength: Self.lists[number].bodyLength, sequence: sequence)
        if Glibc.send(descriptor, request, request.count, 0) < 0 {
            refused()
        }
    }

    private func refused() {
        list = nil
        refusals += 1
        if refusals < Self.mostRefusals { changed() } else { end() }
    }

    private func listEnded() {
        guard let number = list else { return }
        if number + 1 < Self.lists.count { return ask(for: number + 1) }
        list = nil
        refusals = 0
        let now = NetworkSnapshot(told)
        told = []
        // What changed meanwhile may stand in one list and not in another.
        guard !isOutdated else { return changed() }
        guard let before = snapshot else {
            snapshot = now
            return whenReady()
        }
        snapshot = now
        if let change = NetworkSnapshot.change(from: before, to: now) { continuation.yield(change) }
    }

    /// Something has changed: the lists are asked for once it has been quiet for a moment, or at the latest then.
    private func changed() {
        isOutdated = true
        guard timer == nil, list == nil, descriptor >= 0 else { return }
        timer = loop.state.schedule(after: RouteNetworkMonitor.debounce) { [weak self] in
            self?.assumeIsolated {
                $0.timer = nil
                $0.ask(for: 0)
            }
        }
    }

    // MARK: Reading

    private func receive() {
        let scratch = loop.state.scratch
        while descriptor >= 0 {
            let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
            if count < 0 {
                switch errno {
                case EINTR: continue
                case EAGAIN: return
                // More news came than the kernel keeps.
                case ENOBUFS:
                    list = nil
                    changed()
                default: return end()
                }
                continue
            }
            for message in RouteMessage.parse([UInt8](scratch[..<count])) { received(message) }
        }
    }

    private func received(_ message: RouteMessage) {
        guard message.port == port, message.sequence == sequence, list != nil else {
            // An answer to an earlier question of ours is no news.
            if message.port != port || message.port == 0 { changed() }
            return
        }
        if message.isInterrupted { isOutdated = true }
        switch message.content {
        case .done: listEnded()
        case .failed: refused()
        case .link, .address, .route: told.append(message)
        case .other: break
        }
    }
}

extension RouteWatcher: EventHandler {
    nonisolated func eventsOccurred(_ events: UInt32) {
        assumeIsolated { $0.receive() }
    }
}
