/// How a stream finds out that its connection is dead, and keeps it from being forgotten on the way.
public enum KeepAlivePolicy: Hashable, Sendable {
    /// It does not: a dead connection is found when something is sent.
    case off

    /// After `silence` without a byte from the peer it is asked for a sign of life, which has `patience` to come.
    case probe(silence: Duration, patience: Duration)

    /// The same with a silence that adapts to the network: see ``KeepAlivePace``.
    case adaptive(KeepAliveBounds)

    /// A space after each silence (RFC 6120 §4.6.1), which nobody answers: keeps address translators from forgetting the
    /// connection at the least cost, and finds no dead one. Over WebSocket, which allows no spaces (RFC 7395 §3.8), the
    /// server is asked instead.
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
        case .probe(let silence, let patience): return .probe(silence: min(silence, longest), patience: patience)
        case .whitespace(let interval): return .whitespace(every: min(interval, longest))
        case .adaptive(var bounds):
            bounds.first = min(bounds.first, longest)
            bounds.shortest = min(bounds.shortest, longest)
            bounds.longest = min(bounds.longest, longest)
            return .adaptive(bounds)
        }
    }
}
