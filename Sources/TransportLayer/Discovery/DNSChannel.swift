import CCares
import CEpoll

/// The c-ares channel of one lookup, driven by the event loop.
///
/// Each lookup has its own channel: it reads the current system configuration, so it sees a change of network, and
/// closing it cleans up everything. c-ares invokes its callbacks only inside the calls made here, so they run on the
/// thread of the loop.
actor DNSChannel: EventLoopActor {
    nonisolated let loop: EventLoop
    private var channel: ares_channel?
    private var sockets: [ares_socket_t: WatchedSocket] = [:]
    private var retryTimer: TimerQueue.Identifier?
    private var deadlineTimer: TimerQueue.Identifier?
    private(set) var isPastDeadline = false

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    private static let isLibraryReady = ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS

    init(loop: EventLoop) {
        self.loop = loop
    }

    isolated deinit {
        if let channel { ares_destroy(channel) }
    }

    func open(_ configuration: ResolverConfiguration) throws(TransportError) {
        guard Self.isLibraryReady else { throw TransportError(.system, "The DNS library cannot be used.") }
        var options = ares_options()
        // All names here are fully qualified; the search list of resolv.conf would send them to unrelated domains.
        options.flags = Int32(ARES_FLAG_NOSEARCH)
        options.timeout = Int32(clamping: configuration.attempt.milliseconds)
        options.tries = Int32(clamping: configuration.attempts)
        options.sock_state_cb = { context, socket, isReading, isWriting in
            guard let context else { return }
            let channel = Unmanaged<DNSChannel>.fromOpaque(context).takeUnretainedValue()
            channel.onLoop { $0.watch(socket, isReading != 0, isWriting != 0) }
        }
        options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
        let mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS
        var code: Int32 = 0
        var lookups = Array((configuration.usesHostsFile ? "fb" : "b").utf8CString)
        lookups.withUnsafeMutableBufferPointer {
            options.lookups = $0.baseAddress
            code = ares_init_options(&channel, &options, Int32(mask))
        }
        if code == 0 && !configuration.servers.isEmpty {
            code = ares_set_servers_ports_csv(channel, configuration.servers.joined(separator: ","))
        }
        guard code == 0 else {
            throw TransportError(.invalidConfiguration, "DNS cannot be set up: \(Self.message(code)).")
        }
        deadlineTimer = loop.state.schedule(after: configuration.deadline) { [weak self] in
            self?.onLoop {
                $0.isPastDeadline = true
                $0.cancel()
            }
        }
    }

    /// Closes the channel; open queries get no response.
    func close() {
        guard let open = channel else { return }
        channel = nil
        ares_destroy(open)
        for (_, socket) in sockets { loop.state.unregister(socket.token) }
        sockets = [:]
        for timer in [retryTimer, deadlineTimer] { if let timer { loop.state.cancelTimer(timer) } }
    }

    func cancel() {
        if let channel { ares_cancel(channel) }
    }

    static func message(_ code: Int32) -> String {
        ares_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }

    // MARK: Questions

    /// Passes a result out of a c-ares callback, which is invoked exactly once.
    private final class Answer<Value: Sendable>: Sendable {
        let continuation: CheckedContinuation<Value, Never>

        init(_ continuation: CheckedContinuation<Value, Never>) {
            self.continuation = continuation
        }

        func opaque() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

        static func take(_ pointer: UnsafeMutableRawPointer?) -> CheckedContinuation<Value, Never>? {
            pointer.map { Unmanaged<Answer>.fromOpaque($0).takeRetainedValue().continuation }
        }
    }

    struct ServiceAnswer: Sendable {
        var status: Int32
        var records: [(priority: UInt16, weight: UInt16, host: String, port: UInt16)] = []
    }

    func services(_ name: String) async -> ServiceAnswer {
        await ask { channel, continuation in
            let answer = Answer<ServiceAnswer>(continuation)
            ares_query(
                channel, name, 1, 33,
                { context, status, _, bytes, count in
                    let continuation = Answer<ServiceAnswer>.take(context)
                    continuation?.resume(returning: DNSChannel.services(status, bytes, count))
                }, answer.opaque())
        } ?? ServiceAnswer(status: Int32(ARES_ECANCELLED))
    }

    private static func services(_ status: Int32, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int32)
        -> ServiceAnswer
    {
        var answer = ServiceAnswer(status: status)
        var list: UnsafeMutablePointer<ares_srv_reply>?
        guard status == 0 else { return answer }
        answer.status = ares_parse_srv_reply(bytes, count, &list)
        defer { if let list { ares_free_data(list) } }
        var next = list
        while let record = next?.pointee {
            let host = String(cString: record.host)
            answer.records.append((record.priority, record.weight, host.isEmpty ? "." : host, record.port))
            next = record.next
        }
        return answer
    }

    struct AddressAnswer: Sendable {
        var status: Int32
        var addresses: [SocketAddress] = []
    }

    func addresses(_ host: String, port: UInt16) async -> AddressAnswer {
        await ask { channel, continuation in
            var hints = ares_addrinfo_hints()
            hints.ai_family = 0
            hints.ai_socktype = 1
            hints.ai_flags = Int32(ARES_AI_NUMERICSERV)
            let answer = Answer<AddressAnswer>(continuation)
            ares_getaddrinfo(
                channel, host, String(port), &hints,
                { context, status, _, result in
                    let continuation = Answer<AddressAnswer>.take(context)
                    var answer = AddressAnswer(status: status)
                    var next = result?.pointee.nodes
                    while let node = next?.pointee {
                        if let pointer = node.ai_addr, let address = SocketAddress(pointer, length: node.ai_addrlen) {
                            if !answer.addresses.contains(address) { answer.addresses.append(address) }
                        }
                        next = node.ai_next
                    }
                    if let result { ares_freeaddrinfo(result) }
                    continuation?.resume(returning: answer)
                }, answer.opaque())
        } ?? AddressAnswer(status: Int32(ARES_ECANCELLED))
    }

    private func ask<Value: Sendable>(
        _ question: (ares_channel, CheckedContinuation<Value, Never>) -> Void
    ) async -> Value? {
        guard let channel, !Task.isCancelled, !isPastDeadline else { return nil }
        let loop = loop
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                question(channel, continuation)
                planRetry()
            }
        } onCancel: {
            loop.execute { self.onLoop { $0.cancel() } }
        }
    }

    // MARK: Events

    private final class WatchedSocket: EventHandler {
        let descriptor: ares_socket_t
        weak let channel: DNSChannel?
        nonisolated(unsafe) var token: UInt64 = 0

        init(_ descriptor: ares_socket_t, _ channel: DNSChannel) {
            self.descriptor = descriptor
            self.channel = channel
        }

        package func eventsOccurred(_ events: UInt32) {
            channel?.onLoop((descriptor, events)) { $0.process($1.0, $1.1) }
        }
    }

    /// c-ares announces which events it waits for on a socket, and none just before it closes the socket.
    private func watch(_ descriptor: ares_socket_t, _ isReading: Bool, _ isWriting: Bool) {
        let events = (isReading ? EPOLLIN.rawValue : 0) | (isWriting ? EPOLLOUT.rawValue : 0)
        if let known = sockets[descriptor] {
            if events == 0 {
                sockets[descriptor] = nil
                loop.state.unregister(known.token, stopWatching: descriptor)
            } else {
                loop.state.change(descriptor, events: events, token: known.token)
            }
        } else if events != 0 {
            let socket = WatchedSocket(descriptor, self)
            sockets[descriptor] = socket
            socket.token = loop.state.register(descriptor, events: events, handler: socket)
        }
    }

    private func process(_ descriptor: ares_socket_t, _ events: UInt32) {
        guard let channel else { return }
        let isReadable = events & ~EPOLLOUT.rawValue != 0
        let isWritable = events & EPOLLOUT.rawValue != 0
        ares_process_fd(
            channel, isReadable ? descriptor : ARES_SOCKET_BAD, isWritable ? descriptor : ARES_SOCKET_BAD)
        planRetry()
    }

    private func planRetry() {
        guard let channel else { return }
        if let retryTimer { loop.state.cancelTimer(retryTimer) }
        retryTimer = nil
        var delay = timeval()
        guard ares_timeout(channel, nil, &delay) != nil else { return }
        retryTimer = loop.state.schedule(after: .seconds(delay.tv_sec) + .microseconds(delay.tv_usec)) { [weak self] in
            self?.onLoop { $0.retry() }
        }
    }

    private func retry() {
        guard let channel else { return }
        ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD)
        planRetry()
    }
}
