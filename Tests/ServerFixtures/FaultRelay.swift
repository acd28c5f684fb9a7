import Glibc

/// One connection through a `FaultProxy`: the client's socket, the server's socket, and what is under way between them.
final class FaultRelay {
    /// Beyond this the source is no longer read, so that a stall pushes back on the sender as a full network does.
    private static let maximumQueuedBytes = 262_144

    /// Bytes on their way in one direction.
    private struct Flow {
        struct Piece {
            var due: ContinuousClock.Instant
            /// Empty for the end of the stream.
            var bytes: ArraySlice<UInt8>
            /// How many round trips lie before it.
            var roundTrips: Int
        }

        var queue: [Piece] = []
        var queuedBytes = 0
        var received = 0
        var delivered = 0
        /// What was delivered when the limit was set.
        var uncounted = 0
        var sourceEnded = false
        var endDelivered = false
        var isStalled = false

        var isWritable: Bool { !isStalled && !queue.isEmpty }
    }

    /// What one look at the sockets has moved.
    struct Movement {
        /// Bytes.
        var upstream = 0
        var downstream = 0
        var roundTrips = 0
    }

    private var client: Int32
    private var server: Int32 = -1
    /// The round trips that lie before what the client sends now: those of everything that it was handed.
    private var clientRoundTrips = 0
    /// The round trips that lie before what the server sends now: one more than before what it was handed.
    private var serverRoundTrips = 0
    private var upstream = Flow()
    private var downstream = Flow()

    init(client: Int32) {
        self.client = client
        var one: Int32 = 1
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    var isClosed: Bool { client < 0 }
    var isConnected: Bool { server >= 0 }

    /// When the next byte that still waits for its latency is to be handed on; one that is due waits for its socket alone.
    func nextDelivery(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        [upstream, downstream].compactMap { $0.isWritable && $0.queue[0].due > now ? $0.queue[0].due : nil }.min()
    }

    func connect(to target: UInt16) {
        guard let socket = try? LoopbackSocket.make(nonBlocking: true), LoopbackSocket.connect(socket, port: target)
        else { return reset() }
        server = socket
    }

    func interests(_ settings: FaultProxy.Settings, now: ContinuousClock.Instant) -> [pollfd] {
        upstream.isStalled = settings.stallsUpstream || !isConnected
        downstream.isStalled = settings.stallsDownstream
        return [
            pollfd(fd: client, events: events(reading: upstream, writing: downstream, now: now), revents: 0),
            pollfd(fd: server, events: events(reading: downstream, writing: upstream, now: now), revents: 0),
        ].filter { $0.events != 0 }
    }

    private func events(reading: Flow, writing: Flow, now: ContinuousClock.Instant) -> Int16 {
        var events: Int32 = 0
        if !reading.sourceEnded, reading.queuedBytes < Self.maximumQueuedBytes { events |= POLLIN }
        if writing.isWritable, writing.queue[0].due <= now { events |= POLLOUT }
        return Int16(events)
    }

    /// Reads and hands on all that can be without waiting.
    func move(_ settings: FaultProxy.Settings, now: ContinuousClock.Instant) -> Movement {
        guard !isClosed else { return Movement() }
        upstream.isStalled = settings.stallsUpstream || !isConnected
        downstream.isStalled = settings.stallsDownstream
        let before = (
            upstream: upstream.delivered, downstream: downstream.delivered, roundTrips: clientRoundTrips
        )
        let due = now + settings.latency
        let alive =
            read(from: client, into: &upstream, due: due, roundTrips: clientRoundTrips)
            && (!isConnected || read(from: server, into: &downstream, due: due, roundTrips: serverRoundTrips))
            && write(
                &upstream, to: server, settings.upstreamSliceSize, limit: settings.resetsAfterUpstreamBytes, now: now
            ) { serverRoundTrips = max(serverRoundTrips, $0 + 1) }
            && write(
                &downstream, to: client, settings.downstreamSliceSize, limit: settings.resetsAfterDownstreamBytes,
                now: now
            ) { clientRoundTrips = max(clientRoundTrips, $0) }
        let movement = Movement(
            upstream: upstream.delivered - before.upstream, downstream: downstream.delivered - before.downstream,
            roundTrips: clientRoundTrips - before.roundTrips)
        if !alive {
            reset()
        } else if upstream.endDelivered && downstream.endDelivered {
            closeSockets()
        }
        return movement
    }

    /// False when the connection was lost.
    private func read(
        from socket: Int32, into flow: inout Flow, due: ContinuousClock.Instant, roundTrips: Int
    ) -> Bool {
        guard !flow.sourceEnded, flow.queuedBytes < Self.maximumQueuedBytes else { return true }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while flow.queuedBytes < Self.maximumQueuedBytes {
            let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
            // A connection to the server that is still being made says ENOTCONN.
            if count < 0 { return errno == EAGAIN || errno == EINTR || errno == ENOTCONN }
            flow.queue.append(.init(due: due, bytes: buffer[..<count], roundTrips: roundTrips))
            flow.queuedBytes += count
            flow.received += count
            if count == 0 {
                flow.sourceEnded = true
                return true
            }
        }
        return true
    }

    /// False when the connection was lost or its limit is reached.
    private func write(
        _ flow: inout Flow, to socket: Int32, _ sliceSize: Int, limit: Int, now: ContinuousClock.Instant,
        onWrite: (_ roundTrips: Int) -> Void
    ) -> Bool {
        while flow.isWritable, flow.queue[0].due <= now {
            let bytes = flow.queue[0].bytes
            if bytes.isEmpty {
                shutdown(socket, Int32(SHUT_WR))
                flow.endDelivered = true
                flow.queue.removeFirst()
                continue
            }
            let counted = flow.delivered - flow.uncounted
            guard counted < limit else { return false }
            let slice = bytes.prefix(min(sliceSize, limit - counted))
            let sent = slice.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            // A connection to the server that is still being made answers EAGAIN too.
            guard sent >= 0 else { return errno == EAGAIN }
            onWrite(flow.queue[0].roundTrips)
            flow.delivered += sent
            flow.queuedBytes -= sent
            if counted + sent >= limit { return false }
            flow.queue[0].bytes = bytes.dropFirst(sent)
            if flow.queue[0].bytes.isEmpty { flow.queue.removeFirst() }
        }
        return true
    }

    /// A limit was set: what was delivered before does not count.
    func resetCount() {
        upstream.uncounted = upstream.delivered
        downstream.uncounted = downstream.delivered
    }

    /// Tells the client that the server has ended, without the server's doing.
    func endTowardsClient() { end(&downstream) }
    func endTowardsServer() { end(&upstream) }

    private func end(_ flow: inout Flow) {
        guard !flow.sourceEnded else { return }
        flow.sourceEnded = true
        flow.queue.append(.init(due: .now, bytes: [], roundTrips: 0))
    }

    /// Closes both sockets so that the peers see a reset and not an orderly end.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        for socket in [client, server] where socket >= 0 {
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        }
        closeSockets()
    }

    private func closeSockets() {
        for socket in [client, server] where socket >= 0 { close(socket) }
        client = -1
        server = -1
    }
}
