/// Detects whether the peer is alive: sends a question after a silence, and fails if it stays unanswered.
///
/// Anything received shows that the connection lives (RFC 6120 §4.6). The question is `<r/>` where stream management
/// is in force (XEP-0198 §4) and else a ping (XEP-0199). A stanza that asks for an acknowledgement is a question too:
/// however long the connection may be silent, a person who has sent something is not left waiting for it.
///
/// The owner can also ask at any time, if it suspects that the connection is dead. Then only the response counts,
/// because other data may have arrived before the connection died.
package struct KeepAlive: ~Copyable, Sendable {
    package enum Action: Equatable, Sendable {
        case none
        /// Ask whether the connection lives.
        case probe
        /// Give one, for which no answer comes.
        case whitespace
        /// The question was not answered in time: the connection is dead.
        case dead
    }

    /// How long an answer may take where the policy does not say.
    package static let usualTimeout = Duration.seconds(15)

    /// A question that came of silence or of something sent.
    struct Probe {
        var since: ContinuousClock.Instant
        /// Whether the connection had been silent for the whole time before.
        var isAfterSilence: Bool
    }

    /// A question by the owner, which only its answer answers.
    struct Question {
        var deadline: ContinuousClock.Instant
        /// When something was received last.
        var heard: ContinuousClock.Instant
    }

    struct Listening {
        var since: ContinuousClock.Instant
        /// When something was sent that the peer answers.
        var sent: ContinuousClock.Instant?
    }

    // Not private: Swift 6.3 breaks off when another module destroys a machine whose noncopyable state is private.
    enum State: ~Copyable {
        /// The connection is dead. Final.
        case dead
        /// Something was heard, or a space written, at the given time. → probing, asking
        case listening(Listening)
        /// A question was asked at the given time. → listening, asking, dead
        case probing(Probe)
        /// The owner asked. → listening, dead
        case asking(Question)
    }

    private let policy: KeepAlivePolicy
    /// What is known about the network, where the policy adapts to it.
    package var pace: KeepAlivePace?
    /// How often something was asked or a space written.
    package private(set) var count: UInt64 = 0
    private var state: State

    package init(_ policy: KeepAlivePolicy, pace: KeepAlivePace? = nil, now: ContinuousClock.Instant) {
        self.policy = policy
        if case .adaptive(let bounds) = policy { self.pace = pace ?? KeepAlivePace(bounds) } else { self.pace = nil }
        state = .listening(Listening(since: now))
    }

    private init(
        _ policy: KeepAlivePolicy, _ pace: KeepAlivePace?, _ count: UInt64, _ state: consuming State
    ) {
        self.policy = policy
        self.pace = pace
        self.count = count
        self.state = state
    }

    package mutating func bytesReceived(now: ContinuousClock.Instant) {
        let (policy, count) = (policy, count)
        var pace = pace
        switch consume state {
        case .dead: self = Self(policy, pace, count, .dead)
        case .listening: self = Self(policy, pace, count, .listening(Listening(since: now)))
        case .probing(let probe):
            if probe.isAfterSilence { pace?.survived() }
            self = Self(policy, pace, count, .listening(Listening(since: now)))
        case .asking(var question):
            question.heard = now
            self = Self(policy, pace, count, .asking(question))
        }
    }

    /// The last received element answers a question.
    package mutating func answerReceived() {
        let (policy, pace, count) = (policy, pace, count)
        switch consume state {
        case .dead: self = Self(policy, pace, count, .dead)
        case .listening(let listening): self = Self(policy, pace, count, .listening(listening))
        case .probing(let probe): self = Self(policy, pace, count, .probing(probe))
        case .asking(let question):
            self = Self(policy, pace, count, .listening(Listening(since: question.heard)))
        }
    }

    /// Something was written that the peer answers at once if it lives.
    package mutating func answerExpected(now: ContinuousClock.Instant) {
        let (policy, pace, count) = (policy, pace, count)
        switch consume state {
        case .dead: self = Self(policy, pace, count, .dead)
        case .listening(var listening):
            listening.sent = listening.sent ?? now
            self = Self(policy, pace, count, .listening(listening))
        case .probing(let probe): self = Self(policy, pace, count, .probing(probe))
        case .asking(let question): self = Self(policy, pace, count, .asking(question))
        }
    }

    /// The owner wants to know whether the peer lives. A question that waits already may get less time by that, but not
    /// more.
    package mutating func ask(within timeout: Duration, now: ContinuousClock.Instant) -> Action {
        let (policy, pace, count) = (policy, pace, count)
        let deadline = now.advanced(by: timeout)
        switch consume state {
        case .dead:
            self = Self(policy, pace, count, .dead)
            return .none
        case .listening(let listening):
            self = Self(policy, pace, count + 1, .asking(Question(deadline: deadline, heard: listening.since)))
        case .probing:
            self = Self(policy, pace, count + 1, .asking(Question(deadline: deadline, heard: now)))
        case .asking(var question):
            question.deadline = min(question.deadline, deadline)
            self = Self(policy, pace, count, .asking(question))
            return .none
        }
        return .probe
    }

    package mutating func deadlinePassed(now: ContinuousClock.Instant) -> Action {
        guard let nextDeadline, nextDeadline <= now else { return .none }
        let (policy, count) = (policy, count)
        var pace = pace
        switch consume state {
        case .dead:
            self = Self(policy, pace, count, .dead)
            return .none
        case .listening(let listening):
            if case .whitespace = policy, listening.sent == nil {
                self = Self(policy, pace, count + 1, .listening(Listening(since: now)))
                return .whitespace
            }
            let probe = Probe(since: now, isAfterSilence: listening.sent == nil)
            self = Self(policy, pace, count + 1, .probing(probe))
            return .probe
        case .probing(let probe):
            if probe.isAfterSilence { pace?.died() }
            self = Self(policy, pace, count, .dead)
        case .asking: self = Self(policy, pace, count, .dead)
        }
        return .dead
    }

    /// The space could not be written where it is not allowed: the peer was asked instead.
    package mutating func askedInstead(now: ContinuousClock.Instant) {
        let (policy, pace, count) = (policy, pace, count)
        self = Self(policy, pace, count, .probing(Probe(since: now, isAfterSilence: true)))
    }

    /// When `deadlinePassed` wants to be called.
    package var nextDeadline: ContinuousClock.Instant? {
        switch state {
        case .dead: nil
        case .listening(let listening): deadline(listening)
        case .probing(let probe): probe.since.advanced(by: timeout)
        case .asking(let question): question.deadline
        }
    }

    /// Whether a question by the owner waits for its answer.
    package var isAsking: Bool {
        switch state {
        case .asking: true
        case .dead: false
        case .listening: false
        case .probing: false
        }
    }

    private func deadline(_ listening: Listening) -> ContinuousClock.Instant? {
        guard policy != .off else { return nil }
        let silent = silence.map { listening.since.advanced(by: $0) }
        let waiting = listening.sent.map { $0.advanced(by: timeout) }
        guard let silent, let waiting else { return silent ?? waiting }
        return min(silent, waiting)
    }

    private var silence: Duration? {
        switch policy {
        case .off: nil
        case .probe(let silence, _): silence
        case .adaptive: pace?.silence
        case .whitespace(let interval): interval
        }
    }

    private var timeout: Duration {
        switch policy {
        case .probe(_, let timeout): timeout
        case .adaptive(let bounds): bounds.timeout
        case .off, .whitespace: Self.usualTimeout
        }
    }
}
