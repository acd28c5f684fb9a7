import Synchronization
import TransportLayer
public import XMPPClient

/// Faults of the connection between a session and its server: attempts to connect fail, bytes are lost, connections break.
/// Each holds until it is changed, also for later connections.
///
///     let line = LineFaults()
///     line.apply(to: &configuration)
///     line.lose(.both)
public final class LineFaults: Sendable {
    /// The direction of bytes, as seen by the session.
    public struct Direction: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let sent = Direction(rawValue: 1)
        public static let received = Direction(rawValue: 2)
        public static let both: Direction = [.sent, .received]
    }

    private struct State {
        var isRefusing = false
        var lost: Direction = []
        var lines: [WeakLine] = []
    }

    private struct WeakLine { weak var line: FaultyTransport? }

    private let state = Mutex(State())

    public init() {}

    /// Adds these faults to the connections of sessions with this configuration.
    public func apply(to configuration: inout ClientConfiguration) {
        let connect = configuration.transports.connect
        configuration.transports = TransportFactory { [self] target throws(TransportError) in
            if state.withLock(\.isRefusing) { throw TransportError(.unreachable, "There is no route to the server.") }
            let line = FaultyTransport(try await connect(target), self)
            state.withLock { state in
                state.lines.removeAll { $0.line == nil }
                state.lines.append(WeakLine(line: line))
            }
            return line
        }
    }

    /// Whether attempts to connect fail, as without a network.
    public func refuse(_ isRefusing: Bool = true) { state.withLock { $0.isRefusing = isRefusing } }

    /// Loses all bytes of these directions, as when a route fails without notice; an empty set repairs the connection.
    public func lose(_ direction: Direction) { state.withLock { $0.lost = direction } }

    /// Breaks every connection now.
    public func cut() {
        for line in state.withLock({ $0.lines }) { line.line?.breakOff() }
    }

    fileprivate func loses(_ direction: Direction) -> Bool { state.withLock { $0.lost.contains(direction) } }
}

/// A connection with the faults of ``LineFaults``.
private final class FaultyTransport: Transport {
    private static let broken = TransportError(.connectionReset, "The line was cut.")

    private let base: any Transport
    private let faults: LineFaults
    private let isBroken = Atomic(false)

    init(_ base: any Transport, _ faults: LineFaults) {
        self.base = base
        self.faults = faults
    }

    func breakOff() {
        isBroken.store(true, ordering: .sequentiallyConsistent)
        base.abort()
    }

    func read() async throws(TransportError) -> [UInt8] {
        while true {
            try check()
            let bytes: [UInt8]
            do {
                bytes = try await base.read()
            } catch {
                throw isBroken.load(ordering: .sequentiallyConsistent) ? Self.broken : error
            }
            if bytes.isEmpty || !faults.loses(.received) { return bytes }
        }
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        try check()
        if faults.loses(.sent) { return }
        do {
            try await base.write(bytes)
        } catch {
            throw isBroken.load(ordering: .sequentiallyConsistent) ? Self.broken : error
        }
    }

    private func check() throws(TransportError) {
        if isBroken.load(ordering: .sequentiallyConsistent) { throw Self.broken }
    }

    var isMessageBased: Bool { base.isMessageBased }
    func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS {
        try await base.startTLS(configuration)
    }
    func negotiationFinished() async { await base.negotiationFinished() }
    func finishWriting() async throws(TransportError) { try await base.finishWriting() }
    func close() async { await base.close() }
    func abort() { base.abort() }
    var tlsInformation: NegotiatedTLS? { get async { await base.tlsInformation } }
}
