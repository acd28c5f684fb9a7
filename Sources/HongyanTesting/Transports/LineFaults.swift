import Synchronization
import TransportLayer
public import XMPPClient

/// Faults of the connection between a session and its server: attempts to connect fail, bytes are lost or arrive twice, connections
/// break. Those that last hold until they are changed, also for later connections.
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
        /// The bytes that pass before the next cut.
        var remaining: (count: Int, direction: Direction)?
        var duplicated: (text: [UInt8], direction: Direction)?
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

    /// Breaks the connection, once, when this many more bytes have passed in these directions together. Those bytes arrive.
    public func cut(after count: Int, _ direction: Direction) { state.withLock { $0.remaining = (count, direction) } }

    /// Makes the bytes of one read or write arrive twice, once: the next ones that contain this text.
    public func duplicate(_ direction: Direction, containing text: String) {
        state.withLock { $0.duplicated = (Array(text.utf8), direction) }
    }

    /// What arrives of bytes that pass, and whether the connection breaks after them.
    fileprivate func passing(_ bytes: [UInt8], _ direction: Direction) -> (bytes: [UInt8], isLast: Bool) {
        state.withLock { state in
            if let (count, directions) = state.remaining, directions.contains(direction) {
                guard count > bytes.count else {
                    state.remaining = nil
                    return (Array(bytes.prefix(count)), true)
                }
                state.remaining = (count - bytes.count, directions)
            }
            if state.lost.contains(direction) { return ([], false) }
            if let (text, directions) = state.duplicated, directions.contains(direction), bytes.contains(text) {
                state.duplicated = nil
                return (bytes + bytes, false)
            }
            return (bytes, false)
        }
    }
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
            if bytes.isEmpty { return [] }
            let (passed, isLast) = faults.passing(bytes, .received)
            if isLast { breakOff() }
            if !passed.isEmpty { return passed }
        }
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        try check()
        let (passed, isLast) = faults.passing(bytes, .sent)
        do {
            if !passed.isEmpty { try await base.write(passed) }
        } catch {
            throw isBroken.load(ordering: .sequentiallyConsistent) ? Self.broken : error
        }
        guard isLast else { return }
        isBroken.store(true, ordering: .sequentiallyConsistent)
        // Unlike an abort, this lets what has passed arrive.
        await base.close()
        throw Self.broken
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
