/// The bounds of a keep-alive that adapts to the network.
public struct KeepAliveBounds: Hashable, Sendable {
    /// The initial silence on a new network. A network that drops connections within a minute is broken, and within
    /// this time the user sees a lost connection early enough.
    public var first: Duration {
        get { durations[0] }
        set { durations[0] = newValue }
    }
    /// The shortest silence. With a shorter one a radio would never sleep.
    public var shortest: Duration {
        get { durations[1] }
        set { durations[1] = newValue }
    }
    /// The longest silence: servers were observed to tolerate up to half an hour, address translators less.
    public var longest: Duration {
        get { durations[2] }
        set { durations[2] = newValue }
    }
    /// The timeout for a response.
    public var timeout: Duration {
        get { durations[3] }
        set { durations[3] = newValue }
    }

    /// In an array, because each session has these several times, and nearly all have the usual ones.
    private var durations: [Duration]

    private init(_ durations: [Duration]) { self.durations = durations }

    public init() { self = .standard }

    public static let standard = KeepAliveBounds([.seconds(60), .seconds(30), .seconds(600), .seconds(15)])
}

/// The longest known tolerated silence on this network: it grows with each silence that the connection survived, and
/// shrinks when a connection was found dead after one.
///
/// It describes the network and not one connection, so it is passed from one connection to the next.
public struct KeepAlivePace: Hashable, Sendable {
    private var bounds: KeepAliveBounds
    /// The silence after which the server is asked.
    public private(set) var silence: Duration
    /// A silence that was too long on this network.
    private var fatal: Duration?

    public init(_ bounds: KeepAliveBounds) {
        self.bounds = bounds
        silence = min(max(bounds.first, bounds.shortest), bounds.longest)
    }

    /// The connection was alive after the current silence: the next one is half as long again, but clearly shorter than
    /// one that was too long.
    public mutating func survived() {
        let next = min(silence * 1.5, bounds.longest)
        silence = max(min(next, fatal.map { $0 * 0.8 } ?? next), silence)
    }

    /// The connection was dead after the current silence.
    public mutating func died() {
        fatal = min(silence, fatal ?? silence)
        silence = max(silence / 2, bounds.shortest)
    }

    /// The network has changed, and nothing is known about the new one.
    public mutating func networkChanged() { self = Self(bounds) }

    /// The same within the bounds of a policy.
    func limited(by policy: KeepAlivePolicy) -> KeepAlivePace {
        guard case .adaptive(let bounds) = policy else { return self }
        var pace = self
        pace.bounds = bounds
        pace.silence = min(silence, bounds.longest)
        return pace
    }

    var timeout: Duration { bounds.timeout }
}

/// How a stream detects a dead connection, and keeps address translators from dropping it.
public enum KeepAlivePolicy: Hashable, Sendable {
    /// Disabled: a dead connection is detected when something is sent.
    case off

    /// After `silence` without a byte from the peer, it is asked, and must respond within `timeout`.
    case probe(silence: Duration, timeout: Duration)

    /// Like `probe`, with a silence that adapts to the network: see ``KeepAlivePace``.
    case adaptive(KeepAliveBounds)

    /// Sends a space after each silence (RFC 6120 §4.6.1), which is not answered: it keeps address translators from
    /// dropping the connection at the least cost, but detects no dead one. Over WebSocket, which allows no spaces (RFC
    /// 7395 §3.8), the server is asked instead.
    case whitespace(every: Duration)

    /// Starts with a silence of one minute, which may grow to ten on a network that tolerates it.
    public static let standard = KeepAlivePolicy.adaptive(.standard)
}

extension KeepAlivePolicy {
    /// The policy limited for a server that drops a client after `idleTime` (XEP-0478 §3); nil changes nothing.
    func limited(to idleTime: Duration?) -> KeepAlivePolicy {
        guard let longest = idleTime.map({ $0 * 0.75 }) else { return self }
        switch self {
        case .off: return .off
        case .probe(let silence, let timeout): return .probe(silence: min(silence, longest), timeout: timeout)
        case .whitespace(let interval): return .whitespace(every: min(interval, longest))
        case .adaptive(var bounds):
            bounds.first = min(bounds.first, longest)
            bounds.shortest = min(bounds.shortest, longest)
            bounds.longest = min(bounds.longest, longest)
            return .adaptive(bounds)
        }
    }
}
