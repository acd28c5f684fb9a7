/// Finds out whether the peer still lives: asks after a silence, and gives up when the question stays unanswered.
///
/// Anything received counts as a sign of life (RFC 6120 §4.6). The question is `<r/>` where stream management is in
/// force (XEP-0198 §4) and else a ping (XEP-0199).
package struct KeepAlive: ~Copyable, Sendable {
    package enum Action: Equatable, Sendable {
        case none
        /// Ask for a sign of life.
        case probe
        /// The question was not answered in time: the connection is dead.
        case dead
    }

    // Not private: Swift 6.3 breaks off when another module destroys a machine whose noncopyable state is private.
    enum State: ~Copyable {
        /// Nothing is watched. Final.
        case off
        /// Something was heard at the given time. → probing
        case listening(since: ContinuousClock.Instant)
        /// A question was asked at the given time. → listening, off
        case probing(since: ContinuousClock.Instant)
    }

    private let policy: KeepAlivePolicy
    private var state: State

    package init(_ policy: KeepAlivePolicy, now: ContinuousClock.Instant) {
        switch policy {
        case .off: self.init(policy, .off)
        case .probe: self.init(policy, .listening(since: now))
        }
    }

    private init(_ policy: KeepAlivePolicy, _ state: consuming State) {
        self.policy = policy
        self.state = state
    }

    package mutating func bytesReceived(now: ContinuousClock.Instant) {
        let policy = policy
        switch consume state {
        case .off: self = Self(policy, .off)
        case .listening: self = Self(policy, .listening(since: now))
        case .probing: self = Self(policy, .listening(since: now))
        }
    }

    package mutating func deadlinePassed(now: ContinuousClock.Instant) -> Action {
        guard let nextDeadline, nextDeadline <= now else { return .none }
        let policy = policy
        switch consume state {
        case .off:
            self = Self(policy, .off)
            return .none
        case .listening:
            self = Self(policy, .probing(since: now))
            return .probe
        case .probing:
            self = Self(policy, .off)
            return .dead
        }
    }

    /// When `deadlinePassed` wants to be called.
    package var nextDeadline: ContinuousClock.Instant? {
        guard case .probe(let silence, let patience) = policy else { return nil }
        switch state {
        case .off: return nil
        case .listening(let since): return since.advanced(by: silence)
        case .probing(let since): return since.advanced(by: patience)
        }
    }
}
