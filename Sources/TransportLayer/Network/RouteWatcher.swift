import CEpoll
import Glibc
import Synchronization

/// A routing socket of the kernel on the event loop.
///
/// Notifications only signal that something has changed. The current state is then requested as three lists: the kernel
/// does not report everything that follows from a change (routes disappear silently when their interface goes down),
/// and notifications may be lost when there are too many.
actor RouteWatcher: EventLoopActor {
    /// An observer of changes.
    final class Observer: Sendable {
        let continuation: AsyncStream<NetworkChange>.Continuation
        let whenReady: @Sendable () -> Void
        /// Whether the stream has ended, perhaps before the observer was added.
        let isOver = Atomic(false)

        init(continuation: AsyncStream<NetworkChange>.Continuation, whenReady: @escaping @Sendable () -> Void) {
            self.continuation = continuation
            self.whenReady = whenReady
        }
    }

    /// The watchers that have observers, by their loops. Only the thread of a loop changes its entry.
    private static let running = Mutex<[ObjectIdentifier: RouteWatcher]>([:])

    /// Called on the thread of the loop, like ``remove(_:on:)``.
    static func add(_ observer: Observer, on loop: EventLoop) {
        guard !observer.isOver.load(ordering: .acquiring) else { return }
        let watcher = running.withLock { running in
            let watcher = running[ObjectIdentifier(loop)] ?? RouteWatcher(loop: loop)
            running[ObjectIdentifier(loop)] = watcher
            return watcher
        }
        watcher.onLoop { $0.add(observer) }
    }

    static func remove(_ observer: Observer, on loop: EventLoop) {
        let watcher = running.withLock { $0[ObjectIdentifier(loop)] }
        watcher?.onLoop { $0.remove(observer) }
    }

    /// The lists in the order of the requests: RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE, and the lengths of their
    /// structures.
    private static let lists: [(type: UInt16, bodyLength: Int)] = [(18, 16), (22, 8), (26, 12)]

    nonisolated let loop: EventLoop
    private var observers: [ObjectIdentifier: Observer] = [:]
    private var descriptor: Int32 = -1
    private var token: UInt64 = 0
    /// The port that the kernel assigned to the socket.
    private var port: UInt32 = 0
    private var timer: TimerQueue.Identifier?

    /// The list that is being received; `nil` between the lists.
    private var list: Int?
    private var sequence: UInt32 = 0
    private var messages: [RouteMessage] = []
    /// Whether something has changed since the lists were requested.
    private var isOutdated = false
    private var snapshot: NetworkSnapshot?
    /// The number of consecutive requests that the kernel refused.
    private var refusals = 0
    /// The number of refusals after which the kernel is not asked again.
    private static let maximumRefusals = 8

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    private init(loop: EventLoop) {
        self.loop = loop
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    private func add(_ observer: Observer) {
        observers[ObjectIdentifier(observer)] = observer
        if snapshot != nil { observer.whenReady() }
        if observers.count == 1 { start() }
    }

    private func remove(_ observer: Observer) {
        guard observers.removeValue(forKey: ObjectIdentifier(observer)) != nil, observers.isEmpty else { return }
        stop()
    }

    private func start() {
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

    private func stop() {
        let key = ObjectIdentifier(loop)
        Self.running.withLock { if $0[key] === self { $0[key] = nil } }
        if let timer { loop.state.cancelTimer(timer) }
        timer = nil
        if token != 0 { loop.state.unregister(token) }
        token = 0
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    private func end() {
        stop()
        let observers = observers.values
        self.observers = [:]
        for observer in observers { observer.continuation.finish() }
    }

    // MARK: Lists

    private func ask(for number: Int) {
        if number == 0 {
            messages = []
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
        if refusals < Self.maximumRefusals { changed() } else { end() }
    }

    private func listEnded() {
        guard let number = list else { return }
        if number + 1 < Self.lists.count { return ask(for: number + 1) }
        list = nil
        refusals = 0
        let now = NetworkSnapshot(messages)
        messages = []
        // A change in the meantime may be in one list and not in another.
        guard !isOutdated else { return changed() }
        guard let before = snapshot else {
            snapshot = now
            for observer in observers.values { observer.whenReady() }
            return
        }
        snapshot = now
        guard let change = NetworkSnapshot.change(from: before, to: now) else { return }
        for observer in observers.values { observer.continuation.yield(change) }
    }

    /// Something has changed: the lists are requested after a quiet moment, or when the limit is reached.
    private func changed() {
        isOutdated = true
        guard timer == nil, list == nil, descriptor >= 0 else { return }
        timer = loop.state.schedule(after: RouteNetworkMonitor.debounce) { [weak self] in
            self?.onLoop {
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
                // There were more notifications than the kernel buffers.
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
            // A response to an earlier request of ours is not a notification.
            if message.port != port || message.port == 0 { changed() }
            return
        }
        if message.isInterrupted { isOutdated = true }
        switch message.content {
        case .done: listEnded()
        case .failed: refused()
        case .link, .address, .route: messages.append(message)
        case .other: break
        }
    }
}

extension RouteWatcher: EventHandler {
    package nonisolated func eventsOccurred(_ events: UInt32) {
        onLoop { $0.receive() }
    }
}

/// The addresses and default routes of the machine at one time.
struct NetworkSnapshot: Sendable, Hashable {
    /// The addresses of interfaces that are up, without loopback and link-local addresses.
    var addresses: Set<RouteMessage.Address> = []
    /// The default routes through such interfaces.
    var defaultRoutes: Set<RouteMessage.Route> = []

    /// Whether other machines can be reached.
    var isAvailable: Bool { !addresses.isEmpty }

    /// The change between two snapshots; `nil` if there is none that matters.
    static func change(from old: NetworkSnapshot, to new: NetworkSnapshot) -> NetworkChange? {
        switch (old.isAvailable, new.isAvailable) {
        case (false, true): .available
        case (true, false): .unavailable
        case (true, true): old == new ? nil : .changed
        case (false, false): nil
        }
    }
}

extension NetworkSnapshot {
    /// Combines the kernel's three lists: interfaces, addresses, routes.
    init(_ messages: [RouteMessage]) {
        var usable: Set<Int32> = []
        for case .link(let link) in messages.map(\.content) where link.isUsable && !link.isLoopback {
            usable.insert(link.index)
        }
        for message in messages {
            switch message.content {
            case .address(let address) where usable.contains(address.interface) && address.isGlobal:
                addresses.insert(address)
            case .route(let route) where usable.contains(route.interface): defaultRoutes.insert(route)
            case .address, .route, .link, .done, .failed, .other: break
            }
        }
    }
}
