import Foundation
import Glibc
import Synchronization

/// A TCP proxy on loopback that behaves as bad networks do, by order of the test.
///
/// ```swift
/// let proxy = try FaultProxy(to: server.port)
/// // … connect a client to proxy.port …
/// proxy.configure { $0.stallsDownstream = true }   // the connection stays open and nothing arrives
/// proxy.resetConnections()                         // the connection is gone with an error
/// ```
/// Upstream is from the client to the server. An order is carried out when the call returns.
public final class FaultProxy: Sendable {
    /// What happens to a client that connects.
    public enum Acceptance: Sendable, Equatable {
        /// It is connected with the server.
        case forward
        /// Nobody listens: connection refused.
        case refuse
        /// It is connected, but with nobody: not one byte comes until the acceptance is `forward` again.
        case hang
        /// Its connection is not answered at all, as by a machine that is not there.
        case ignore
    }

    public struct Settings: Sendable, Equatable {
        public var acceptance = Acceptance.forward
        /// Added to every byte in each direction.
        public var latency = Duration.zero
        /// What the client sends is kept back, not lost; a reset loses it.
        public var stallsUpstream = false
        /// What the server sends is kept back, not lost; a reset loses it.
        public var stallsDownstream = false
        /// Most bytes that are handed to the client in one write; 1 for a byte at a time.
        public var downstreamSliceSize = Int.max
        /// The same towards the server. Mind that expat, with which Prosody and ejabberd read, puts off a tag that comes in many
        /// pieces until much more has come (its answer to CVE-2023-52425): such a server may never answer a sliced header.
        public var upstreamSliceSize = Int.max
        /// Resets a connection after exactly this many bytes of it were handed to the server, counted from now on.
        public var resetsAfterUpstreamBytes = Int.max
        /// Resets a connection after exactly this many bytes of it were handed to the client, counted from now on.
        public var resetsAfterDownstreamBytes = Int.max

        public init() {}
    }

    public struct Counters: Sendable, Equatable {
        /// Clients that were accepted so far.
        public var accepted = 0
        /// Those that are still connected.
        public var open = 0
        /// Bytes handed to the server.
        public var upstreamBytes = 0
        /// Bytes handed to the client.
        public var downstreamBytes = 0
        /// How many times clients had to wait for the server, one wait after the other: what one end hands over is counted as the
        /// answer to all that had reached it by then. What is asked for side by side costs one round trip, whenever the answers
        /// come. TCP's own handshake is not counted.
        public var roundTrips = 0
    }

    /// An order to the loop, and the place where the caller waits until it is carried out.
    final class Order: Sendable {
        enum Kind: Sendable {
            case configure(Settings)
            case forward(UInt16)
            case reset
            case endTowardsClients
            case endTowardsServer
            case stop
        }

        let kind: Kind
        let done = DispatchSemaphore(value: 0)

        init(_ kind: Kind) { self.kind = kind }
    }

    /// What callers and the loop share.
    final class Desk: Sendable {
        struct Contents {
            var orders: [Order] = []
            var counters = Counters()
            var stopped = false
        }

        let contents = Mutex(Contents())
        /// A pipe in which a byte waits when there are orders.
        let bell: Int32
        private let button: Int32

        init() throws(FixtureError) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw .system("Cannot make a pipe", errno: errno) }
            (bell, button) = (ends[0], ends[1])
            LoopbackSocket.makeNonBlocking(bell)
            LoopbackSocket.makeNonBlocking(button)
        }

        deinit {
            close(bell)
            close(button)
        }

        func ring() {
            var byte: UInt8 = 0
            _ = write(button, &byte, 1)
        }

        /// Empties the pipe and takes the orders.
        func takeOrders() -> [Order] {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(bell, &bytes, bytes.count) > 0 {}
            return contents.withLock { contents in
                defer { contents.orders = [] }
                return contents.orders
            }
        }
    }

    public let host = "127.0.0.1"
    /// Where clients connect.
    public let port: UInt16
    private let desk: Desk
    private let current = Mutex(Settings())

    /// Listens on a port of its own and forwards to `target` on 127.0.0.1.
    public init(to target: UInt16) throws(FixtureError) {
        // A claimed port and not one of the system's choice: after `refuse` the same one must be had again.
        port = try LoopbackPort.claim()
        desk = try Desk()
        let loop = try FaultProxyLoop(port: port, target: target, desk: desk)
        Thread.detachNewThread { loop.run() }
    }

    deinit {
        give(.stop)
        LoopbackPort.release([port])
    }

    public var settings: Settings { current.withLock { $0 } }
    public var counters: Counters { desk.contents.withLock { $0.counters } }

    /// Changes what happens from now on, to connections that are already open too.
    public func configure(_ change: (inout Settings) -> Void) {
        let changed = current.withLock { settings in
            change(&settings)
            return settings
        }
        give(.configure(changed))
    }

    /// Back to a network without faults; what was stalled is delivered.
    public func heal() { configure { $0 = Settings() } }

    /// The network is gone without a word: open connections stay open and nothing passes, new ones are not answered.
    public func blackhole() {
        configure {
            ($0.stallsUpstream, $0.stallsDownstream) = (true, true)
            $0.acceptance = .ignore
        }
    }

    /// Connects clients with another server from now on, as the address of a service that moves; open connections stay.
    public func forward(to target: UInt16) { give(.forward(target)) }

    /// Resets all connections at both ends (TCP RST); what was under way is lost.
    public func resetConnections() { give(.reset) }

    /// Half-closes: clients see the end of the stream and can still send.
    public func endTowardsClients() { give(.endTowardsClients) }

    /// Half-closes: the server sees the end of the stream and can still send.
    public func endTowardsServer() { give(.endTowardsServer) }

    /// Resets everything and frees the port; the proxy cannot be used after that.
    public func stop() { give(.stop) }

    /// Waits until the counters are as wished; throws when that takes too long.
    @discardableResult
    public func wait(
        within limit: Duration = .seconds(60), until condition: @escaping @Sendable (Counters) -> Bool
    ) async throws(FixtureError) -> Counters {
        try await onOwnThread { [desk] () throws(FixtureError) in
            var seen = Counters()
            let fulfilled = try poll(for: limit) { () throws(FixtureError) in
                seen = desk.contents.withLock { $0.counters }
                return condition(seen)
            }
            guard fulfilled else { throw FixtureError(.system, "The proxy did not get there; it counted \(seen).") }
            return seen
        }
    }

    private func give(_ kind: Order.Kind) {
        let order = Order(kind)
        let stopped = desk.contents.withLock { contents in
            if !contents.stopped { contents.orders.append(order) }
            return contents.stopped
        }
        guard !stopped else { return }
        desk.ring()
        order.done.wait()
    }
}
