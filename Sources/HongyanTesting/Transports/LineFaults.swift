import Synchronization
import TransportLayer
public import XMPPClient

/// Faults of the line between a session and its server: it refuses connections, or it loses, delays, slices, duplicates or breaks off
/// what passes. Everything holds until it is changed, also for later connections.
///
///     let line = LineFaults()
///     line.apply(to: &configuration)
///     line.lose(.both)
public final class LineFaults: Sendable {
    /// Which way the bytes go, as the session sees it.
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
        var duplicated: Direction = []
        var delay = Duration.zero
        var pieceSize = Int.max
        var limits: [Direction: Int] = [:]
        var lines: [WeakLine] = []
    }

    private struct WeakLine { weak var line: FaultyTransport? }

    /// What is left of bytes that pass.
    struct Passage: Sendable {
        var bytes: [UInt8]
        var delay = Duration.zero
        var isLast = false
    }

    private let state = Mutex(State())
    private let clock: SessionClock

    /// - Parameter clock: by which delays pass; `nil` is real time.
    public init(clock: VirtualClock? = nil) { self.clock = clock?.clock ?? .continuous }

    /// Lets the connections of sessions with this configuration pass here.
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

    // MARK: Faults

    /// Whether attempts to connect fail, as without a network.
    public func refuse(_ isRefusing: Bool = true) { state.withLock { $0.isRefusing = isRefusing } }

    /// Loses all bytes of these directions, as when a route is gone and neither end learns of it; an empty set heals the line.
    public func lose(_ direction: Direction) { state.withLock { $0.lost = direction } }

    /// Lets what passes next in these directions arrive twice.
    public func duplicateNext(_ direction: Direction) { state.withLock { $0.duplicated.formUnion(direction) } }

    /// Lets what is received arrive later.
    public func delay(_ duration: Duration) { state.withLock { $0.delay = duration } }

    /// Lets the session receive at most so many bytes at a time, also in the middle of a character.
    public func slice(_ size: Int) { state.withLock { $0.pieceSize = max(1, size) } }

    /// Breaks every connection off now.
    public func cut() {
        for line in state.withLock({ $0.lines }) { line.line?.breakOff() }
    }

    /// Breaks the connection off when so many more bytes have passed in a direction.
    public func cut(after count: Int, _ direction: Direction) { state.withLock { $0.limits[direction] = count } }

    // MARK: What the transports ask

    func passage(of bytes: [UInt8], _ direction: Direction) -> Passage {
        state.withLock { state in
            var passage = Passage(bytes: bytes)
            if direction == .received { passage.delay = state.delay }
            for limited in [direction, .both] {
                guard let left = state.limits[limited] else { continue }
                if left <= passage.bytes.count {
                    passage.bytes = Array(passage.bytes.prefix(left))
                    passage.isLast = true
                    state.limits[limited] = nil
                } else {
                    state.limits[limited] = left - passage.bytes.count
                }
            }
            if state.lost.contains(direction) { passage.bytes = [] }
            if state.duplicated.contains(direction), !passage.bytes.isEmpty {
                passage.bytes += passage.bytes
                state.duplicated.subtract(direction)
            }
            return passage
        }
    }

    var pieceSize: Int { state.withLock(\.pieceSize) }

    /// Returns after the time or when the task is cancelled.
    func wait(_ duration: Duration) async {
        if duration > .zero { await clock.sleep(clock.now() + duration) }
    }
}

/// A connection that ``LineFaults`` disturb.
final class FaultyTransport: Transport {
    private static let broken = TransportError(.connectionReset, "The line was cut.")

    private let base: any Transport
    private let faults: LineFaults
    /// Bytes that a reader gets next.
    private let rest = Mutex<[UInt8]>([])
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
            let piece = takeRest()
            if !piece.isEmpty { return piece }
            try check()
            let bytes: [UInt8]
            do {
                bytes = try await base.read()
            } catch {
                throw isBroken.load(ordering: .sequentiallyConsistent) ? Self.broken : error
            }
            if bytes.isEmpty { return [] }
            let passage = faults.passage(of: bytes, .received)
            await faults.wait(passage.delay)
            rest.withLock { $0 += passage.bytes }
            if passage.isLast { breakOff() }
        }
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        try check()
        let passage = faults.passage(of: bytes, .sent)
        if !passage.bytes.isEmpty {
            do {
                try await base.write(passage.bytes)
            } catch {
                throw isBroken.load(ordering: .sequentiallyConsistent) ? Self.broken : error
            }
        }
        if passage.isLast {
            isBroken.store(true, ordering: .sequentiallyConsistent)
            // What passed before arrives.
            await base.close()
            throw Self.broken
        }
    }

    private func takeRest() -> [UInt8] {
        let size = isMessageBased ? Int.max : faults.pieceSize
        return rest.withLock { rest in
            let piece = Array(rest.prefix(size))
            rest.removeFirst(piece.count)
            return piece
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
