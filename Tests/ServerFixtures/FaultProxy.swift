import Foundation
import Glibc
import Synchronization

/// A TCP proxy on loopback that behaves like a bad network, controlled by the test.
///
/// ```swift
/// let proxy = try FaultProxy(to: server.port)
/// // … connect a client to proxy.port …
/// proxy.configure { $0.stallsDownstream = true }   // the connection stays open and nothing arrives
/// proxy.resetConnections()                         // the connection ends with an error
/// ```
/// Upstream is from the client to the server. A command is completed when the call returns.
public final class FaultProxy: Sendable {
    /// What happens to a client that connects.
    public enum Acceptance: Sendable, Equatable {
        /// It is connected to the server.
        case forward
        /// No listener: connection refused.
        case refuse
        /// It is connected, but not to the server: no byte arrives until the acceptance is `forward` again.
        case hang
        /// Its connection attempt is not answered, as if the machine did not exist.
        case ignore
    }

    public struct Settings: Sendable, Equatable {
        public var acceptance = Acceptance.forward
        /// The delay of every byte in each direction.
        public var latency = Duration.zero
        /// Bytes from the client are held back, not lost; a reset loses them.
        public var stallsUpstream = false
        /// Bytes from the server are held back, not lost; a reset loses them.
        public var stallsDownstream = false
        /// The maximum number of bytes of one write to the client; 1 for a byte at a time.
        public var downstreamSliceSize = Int.max
        /// The same for the server. Note that expat, the parser of Prosody and ejabberd, delays a tag that arrives in
        /// many pieces until much more has arrived (its answer to CVE-2023-52425): such a server may never answer a
        /// sliced header.
        public var upstreamSliceSize = Int.max
        /// Resets a connection after exactly this many bytes of it were forwarded to the server, counted from now on.
        public var resetsAfterUpstreamBytes = Int.max
        /// Resets a connection after exactly this many bytes of it were forwarded to the client, counted from now on.
        public var resetsAfterDownstreamBytes = Int.max

        public init() {}
    }

    public struct Counters: Sendable, Equatable {
        /// Accepted clients so far.
        public var accepted = 0
        /// Clients that are still connected.
        public var open = 0
        /// Bytes forwarded to the server.
        public var upstreamBytes = 0
        /// Bytes forwarded to the client.
        public var downstreamBytes = 0
        /// How many times clients had to wait for the server, one wait after the other: what one end hands over is counted as the
        /// answer to all that had reached it by then. What is asked for side by side costs one round trip, whenever the answers
        /// come. TCP's own handshake is not counted.
        public var roundTrips = 0
    }

    /// A command for the loop, on whose completion the caller waits.
    final class Instruction: Sendable {
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

    /// The commands and results that callers and the loop share.
    final class SharedState: Sendable {
        struct Contents {
            var instructions: [Instruction] = []
            var counters = Counters()
            var stopped = false
        }

        let contents = Mutex(Contents())
        /// A pipe that contains a byte if there are commands.
        let wakeDescriptor: Int32
        private let signalDescriptor: Int32

        init() throws(FixtureError) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw .system("Cannot make a pipe", errno: errno) }
            (wakeDescriptor, signalDescriptor) = (ends[0], ends[1])
            LoopbackSocket.makeNonBlocking(wakeDescriptor)
            LoopbackSocket.makeNonBlocking(signalDescriptor)
        }

        deinit {
            close(wakeDescriptor)
            close(signalDescriptor)
        }

        func wake() {
            var byte: UInt8 = 0
            _ = write(signalDescriptor, &byte, 1)
        }

        /// Empties the pipe and returns the commands.
        func takeInstructions() -> [Instruction] {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(wakeDescriptor, &bytes, bytes.count) > 0 {}
            return contents.withLock { contents in
                defer { contents.instructions = [] }
                return contents.instructions
            }
        }
    }

    public let host = "127.0.0.1"
    /// The port for clients.
    public let port: UInt16
    private let shared: SharedState
    private let current = Mutex(Settings())

    /// Listens on its own port and forwards to `target` on 127.0.0.1.
    public init(to target: UInt16) throws(FixtureError) {
        // A claimed port instead of one that the system selects: after `refuse` the same port must be available again.
        port = try LoopbackPort.claim()
        shared = try SharedState()
        let loop = try FaultProxyLoop(port: port, target: target, shared: shared)
        Thread.detachNewThread { loop.run() }
    }

    deinit {
        give(.stop)
        LoopbackPort.release([port])
    }

    public var settings: Settings { current.withLock { $0 } }
    public var counters: Counters { shared.contents.withLock { $0.counters } }

    /// Changes the settings, for open connections as well.
    public func configure(_ change: (inout Settings) -> Void) {
        let changed = current.withLock { settings in
            change(&settings)
            return settings
        }
        give(.configure(changed))
    }

    /// Removes all faults; stalled bytes are delivered.
    public func heal() { configure { $0 = Settings() } }

    /// The network fails silently: open connections stay open without traffic, new ones are not answered.
    public func blackhole() {
        configure {
            ($0.stallsUpstream, $0.stallsDownstream) = (true, true)
            $0.acceptance = .ignore
        }
    }

    /// Connects new clients to another server, like a service whose address changes; open connections stay.
    public func forward(to target: UInt16) { give(.forward(target)) }

    /// Resets all connections at both ends (TCP RST); bytes in transit are lost.
    public func resetConnections() { give(.reset) }

    /// Half-closes: clients see the end of the stream and can still send.
    public func endTowardsClients() { give(.endTowardsClients) }

    /// Half-closes: the server sees the end of the stream and can still send.
    public func endTowardsServer() { give(.endTowardsServer) }

    /// Resets all connections and frees the port; the proxy cannot be used afterwards.
    public func stop() { give(.stop) }

    /// Waits until the counters fulfil a condition; throws on a timeout.
    @discardableResult
    public func wait(
        within limit: Duration = .seconds(60), until condition: @escaping @Sendable (Counters) -> Bool
    ) async throws(FixtureError) -> Counters {
        try await onOwnThread { [shared] () throws(FixtureError) in
            var seen = Counters()
            let fulfilled = try poll(for: limit) { () throws(FixtureError) in
                seen = shared.contents.withLock { $0.counters }
                return condition(seen)
            }
            guard fulfilled else { throw FixtureError(.system, "The proxy did not get there; it counted \(seen).") }
            return seen
        }
    }

    private func give(_ kind: Instruction.Kind) {
        let instruction = Instruction(kind)
        let stopped = shared.contents.withLock { contents in
            if !contents.stopped { contents.instructions.append(instruction) }
            return contents.stopped
        }
        guard !stopped else { return }
        shared.wake()
        instruction.done.wait()
    }
}
