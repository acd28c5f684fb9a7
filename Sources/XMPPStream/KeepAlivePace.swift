/// The bounds of a keep-alive that adapts to the network.
public struct KeepAliveBounds: Hashable, Sendable {
    /// The silence after which a new network is asked first. Everything that forgets a connection within a minute is
    /// broken, and a person sees a lost connection before wondering.
    public var first = Duration.seconds(60)
    /// The shortest silence. Below it a radio never rests.
    public var shortest = Duration.seconds(30)
    /// The longest silence: half an hour is the longest that servers were seen to bear, and address translators less.
    public var longest = Duration.seconds(600)
    /// How long an answer may take.
    public var timeout = Duration.seconds(15)

    public init() {}

    public static let standard = KeepAliveBounds()
}

/// How long a connection may be silent on this network, as far as is known: grows with each silence that was survived,
/// and shrinks when a connection was found dead after one.
///
/// It is about the network and not about one connection, so it goes on from one to the next.
public struct KeepAlivePace: Hashable, Sendable {
    private var bounds: KeepAliveBounds
    /// The silence after which the server is asked next.
    public private(set) var silence: Duration
    /// A silence that was too long on this network.
    private var fatal: Duration?

    public init(_ bounds: KeepAliveBounds) {
        self.bounds = bounds
        silence = min(max(bounds.first, bounds.shortest), bounds.longest)
    }

    /// The connection lived after the present silence: half as much again, but clearly less than what was once too
    /// long.
    public mutating func survived() {
        let next = min(silence * 1.5, bounds.longest)
        silence = max(min(next, fatal.map { $0 * 0.8 } ?? next), silence)
    }

    /// The connection was dead after the present silence.
    public mutating func died() {
        fatal = min(silence, fatal ?? silence)
        silence = max(silence / 2, bounds.shortest)
    }

    /// There is another network now, about which nothing is known.
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

/// How a stream finds out that its connection is dead, and keeps it from being forgotten on the way.
public enum KeepAlivePolicy: Hashable, Sendable {
    /// It does not: a dead connection is found when something is sent.
    case off

    /// After `silence` without a byte from the peer it is probed, and the answer has `timeout` to come.
    case probe(silence: Duration, timeout: Duration)

    /// The same with a silence that adapts to the network: see ``KeepAlivePace``.
    case adaptive(KeepAliveBounds)

    /// A space after each silence (RFC 6120 §4.6.1), which is not answered: keeps address translators from forgetting
    /// the connection at the least cost, and finds no dead one. Over WebSocket, which allows no spaces (RFC 7395
    /// §3.8), the server is asked instead.
    case whitespace(every: Duration)

    /// Begins with one minute of silence, which may grow to ten on a network that bears it.
    public static let standard = KeepAlivePolicy.adaptive(.standard)
}

extension KeepAlivePolicy {
    /// The policy with silences that a server bears which takes a client for idle after `idleTime` (XEP-0478 §3); nil
    /// changes nothing.
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
