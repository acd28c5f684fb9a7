import CEpoll
import Glibc
import XMLStreaming

/// A TCP connection, with TLS after ``startTLS(_:)`` or `acceptTLS(_:)` has succeeded.
///
/// The actor runs on its event loop: epoll events and the callers' bytes are handled on the same thread, so there is no
/// lock. The descriptor is registered once, edge-triggered; a message needs no system call except receive and send.
/// Written bytes are collected until the end of the loop iteration.
public final actor SocketTransport: Transport, EventLoopActor {
    public nonisolated let loop: EventLoop
    public nonisolated let limits: TransportLimits

    /// The phase of the connection; it only advances.
    enum Phase {
        /// The kernel is connecting.
        case connecting
        /// Bytes may be exchanged: unencrypted, or encrypted if there is an engine.
        case open
        /// Our half ends, or has ended, after the queued bytes.
        case finishing
        /// The descriptor is closed; the failure has the reason.
        case closed
    }

    var phase = Phase.connecting
    var descriptor: Int32
    private var token: UInt64 = 0
    @Rare var failure: TransportError?
    var hasFailed: Bool { _failure.isPresent }
    var engine: TLSEngine?
    /// Whether the engine, if there is one, keeps its buffers.
    var isWarm = false

    // Reading.
    /// epoll has reported bytes (or the end) that were not read completely.
    var isReadable = false
    /// The peer's end was reported; the rest must be read until the kernel reports the end too.
    var isHangingUp = false
    var hasReadEnd = false
    var isNegotiating = true
    /// At most one. An optional one would be copied to see whether it is there.
    var readWaiters: [CheckedContinuation<Void, Never>] = []
    var readWaiterNumber: UInt64 = 0
    var isReading = false
    /// The owner that gets what arrives without a task.
    var reader: (any TransportReader)?
    var isReadingPaused = false
    /// Whether ``deliver()`` is working or will be called.
    var isDelivering = false
    var isDeliveryScheduled = false

    // Writing.
    /// The peer accepts no more bytes, but data from it may still be read.
    @Rare var writeFailure: TransportError?
    var hasFailedWriting: Bool { _writeFailure.isPresent }
    var isWritable = false
    /// Unencrypted bytes of the callers until the end of the iteration.
    var queued: [UInt8] = []
    /// Bytes for the kernel (encrypted if there is an engine) from `outgoingOffset` on.
    var outgoing: [UInt8] = []
    var outgoingOffset = 0
    var isGathered = false
    var mustFinish = false
    var hasSentEnd = false
    var writeWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var lastWaiter: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// Adopts a socket that is connected or connecting.
    package init(descriptor: Int32, loop: EventLoop, limits: TransportLimits) {
        self.descriptor = descriptor
        self.loop = loop
        self.limits = limits
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
        if token != 0 {
            let loop = loop
            let token = token
            loop.execute { loop.state.unregister(token) }
        }
    }

    /// Registers the socket with the loop. Only after `connect`, because epoll reports an unconnected socket as hung
    /// up.
    func watch() {
        let events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        token = loop.state.register(descriptor, events: events, handler: self)
    }

    func setSocketOptions() {
        setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        setOption(SOL_SOCKET, SO_KEEPALIVE, 1)
        if let limit = limits.unacknowledged {
            setOption(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: limit.milliseconds))
        }
    }

    func setOption(_ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The peer's address; `nil` after closing.
    public var remoteAddress: SocketAddress? { SocketAddress(of: descriptor, getpeername) }

    /// The local address; `nil` after closing.
    package var localAddress: SocketAddress? { SocketAddress(of: descriptor, getsockname) }

    public var tlsInformation: NegotiatedTLS? { engine?.information }

    public func negotiationFinished() {
        isNegotiating = false
    }

    /// Closes the connection with an error, which waiting readers and writers get.
    func fail(_ error: TransportError) {
        guard phase != .closed else { return }
        phase = .closed
        failure = failure ?? error
        if token != 0 {
            loop.state.unregister(token)
            token = 0
        }
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        queued = []
        outgoing = []
        outgoingOffset = 0
        wakeReader()
        wakeWriters()
        if let reader {
            self.reader = nil
            reader.readingEnded(failure)
        }
    }

    public nonisolated func abort() {
        loop.execute { self.onLoop { $0.fail(.closedHere) } }
    }

    public func close() async {
        guard phase != .closed else { return }
        guard phase != .connecting else { return fail(.closedHere) }
        failure = failure ?? .closedHere
        beginFinishing()
        flush()
        if !hasSentEnd && phase != .closed {
            let timer = loop.state.schedule(after: limits.closing) { [weak self] in
                self?.onLoop { $0.fail(.closedHere) }
            }
            while !hasSentEnd && phase != .closed {
                await waitForWriting(isCancellable: false, until: { hasSentEnd || phase == .closed })
            }
            loop.state.cancelTimer(timer)
        }
        discardReceived()
        fail(.closedHere)
    }
}

extension SocketTransport {
    /// Reads and discards received data: closing a socket with unread bytes (such as session tickets of TLS 1.3) makes
    /// the kernel send a reset, which may discard our last bytes at the peer.
    private func discardReceived() {
        guard phase != .closed else { return }
        let scratch = loop.state.scratch
        for _ in 0..<Self.maximumDiscardedReads where recv(descriptor, scratch.baseAddress, scratch.count, 0) <= 0 {
            return
        }
    }

    /// One megabyte; a peer that sends more than that to a closing connection gets a reset.
    private static let maximumDiscardedReads = 16
}

extension SocketTransport: WarmConnection {
    package nonisolated func cool() {
        onLoop {
            $0.isWarm = false
            $0.engine?.keepBuffers(false)
        }
    }

    /// The connection is read after the login: the memory that this needs is kept for what comes next.
    func keepWarm() {
        guard !isWarm, !isNegotiating else { return }
        isWarm = true
        guard let engine else { return }
        engine.keepBuffers(true)
        loop.state.keepWarm(self)
    }
}

extension SocketTransport: EventHandler {
    package nonisolated func eventsOccurred(_ events: UInt32) {
        onLoop(events) { $0.handle($1) }
    }

    private func handle(_ events: UInt32) {
        if events & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { isHangingUp = true }
        if events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
            isReadable = true
            // Who waits during a handshake comes before the reader, which pauses meanwhile.
            wakeReader()
            // What is due in the next iteration comes after the work of this one.
            if !isDeliveryScheduled { deliver() }
        }
        if events & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
            // Every event reports both directions: nothing waits for a kernel that took everything.
            let waits = !isWritable || events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
            isWritable = true
            if phase == .connecting { wakeWriters() } else if waits { flush() }
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let whole = attoseconds / 1_000_000_000_000_000
        return seconds * 1000 + whole + (attoseconds % 1_000_000_000_000_000 > 0 ? 1 : 0)
    }
}
