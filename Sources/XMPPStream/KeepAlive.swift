package import Waiting

/// Detects whether the peer is alive: sends a question after a silence, and fails if it stays unanswered.
///
/// Any received data shows that the connection is alive (RFC 6120 §4.6). The question is `<r/>` with stream management
/// (XEP-0198 §4), and otherwise a ping (XEP-0199). A stanza that requests an acknowledgement is a question too, so a
/// user who has sent a message soon learns that the connection is dead, regardless of the allowed silence.
///
/// A peer that sends, but has not answered such a request for ``answerTimeout``, does not receive: the connection is dead, too.
///
/// The owner can also ask at any time, if it suspects that the connection is dead. Then only the response counts,
/// because other data may have arrived before the connection died.
package struct KeepAlive: ~Copyable, Sendable {
    package enum Action: Equatable, Sendable {
        case none
        /// Check whether the connection is alive.
        case probe
        /// Send a space, which is not answered.
        case whitespace
        /// The question was not answered in time: the connection is dead.
        case dead
    }

    /// The timeout if the policy does not specify one.
    package static let usualTimeout = Duration.seconds(15)

    /// The time after which an element that the peer answers must be answered, whatever else arrives: otherwise only one
    /// direction of the connection is alive, and what is sent waits for ever. A slow line needs a minute for what buffers
    /// on the way hold: some MiB.
    package static let answerTimeout = Duration.seconds(120)

    /// The time for the answer to what is sent again when a session is resumed: that has to pass first.
    static let proofTimeout = Duration.seconds(60)

    /// A question caused by silence or by a sent stanza.
    struct Probe {
        var since: ContinuousInstant
        /// Whether the connection had been silent for the whole time before.
        var isAfterSilence: Bool
    }

    /// A question of the owner; only its response counts.
    struct Question {
        var deadline: ContinuousInstant
        /// The time of the last received data.
        var heard: ContinuousInstant
    }

    struct Listening {
        var since: ContinuousInstant
        /// The time of the last sent element that the peer answers.
        var sent: ContinuousInstant?
    }

    // Not private: Swift 6.3 breaks off when another module destroys a machine whose noncopyable state is private.
    enum State: ~Copyable {
        /// The connection is dead. Final.
        case dead
        /// Data was received, or a space sent, at this time. → probing, asking
        case listening(Listening)
        /// A question was sent at this time. → listening, asking, dead
        case probing(Probe)
        /// The owner asked. → listening, dead
        case asking(Question)
    }

    private let policy: KeepAlivePolicy
    /// The knowledge about the network, if the policy adapts to it.
    package var pace: KeepAlivePace?
    /// The number of questions and spaces sent.
    package private(set) var count: UInt64 = 0
    /// When the connection is dead unless the peer has answered the oldest element that it has not answered yet.
    private var answerEnd: ContinuousInstant?
    private var state: State

    package init(_ policy: KeepAlivePolicy, pace: KeepAlivePace? = nil, now: ContinuousInstant) {
        self.policy = policy
        if case .adaptive(let bounds) = policy { self.pace = pace ?? KeepAlivePace(bounds) } else { self.pace = nil }
        state = .listening(Listening(since: now))
    }

    private init(
        _ policy: KeepAlivePolicy, _ pace: KeepAlivePace?, _ count: UInt64, _ answerEnd: ContinuousInstant?,
        _ state: consuming State
    ) {
        self.policy = policy
        self.pace = pace
        self.count = count
        self.answerEnd = answerEnd
        self.state = state
    }

    package mutating func bytesReceived(now: ContinuousInstant) {
        let (policy, count, answerEnd) = (policy, count, answerEnd)
        var pace = pace
        switch consume state {
        case .dead: self = Self(policy, pace, count, answerEnd, .dead)
        case .listening: self = Self(policy, pace, count, answerEnd, .listening(Listening(since: now)))
        case .probing(let probe):
            if probe.isAfterSilence { pace?.survived() }
            self = Self(policy, pace, count, answerEnd, .listening(Listening(since: now)))
        case .asking(var question):
            question.heard = now
            self = Self(policy, pace, count, answerEnd, .asking(question))
        }
    }

    /// The last received element answers a question.
    package mutating func answerReceived() {
        let (policy, pace, count) = (policy, pace, count)
        let answerEnd: ContinuousInstant? = nil
        switch consume state {
        case .dead: self = Self(policy, pace, count, answerEnd, .dead)
        case .listening(let listening): self = Self(policy, pace, count, answerEnd, .listening(listening))
        case .probing(let probe): self = Self(policy, pace, count, answerEnd, .probing(probe))
        case .asking(let question):
            self = Self(policy, pace, count, answerEnd, .listening(Listening(since: question.heard)))
        }
    }

    /// An element was sent that the peer answers at once if it is alive.
    package mutating func answerExpected(now: ContinuousInstant) {
        let end = answerLimit(now, Self.answerTimeout)
        let (policy, pace, count, answerEnd) = (policy, pace, count, answerEnd ?? end)
        switch consume state {
        case .dead: self = Self(policy, pace, count, answerEnd, .dead)
        case .listening(var listening):
            listening.sent = listening.sent ?? now
            self = Self(policy, pace, count, answerEnd, .listening(listening))
        case .probing(let probe): self = Self(policy, pace, count, answerEnd, .probing(probe))
        case .asking(let question): self = Self(policy, pace, count, answerEnd, .asking(question))
        }
    }

    /// A request was sent whose answer counts alone, whatever else arrives: after a resumption, because only it shows that
    /// the peer understands this connection, or after an answered request, because the peer was alive a moment ago.
    package mutating func answerOwed(within limit: Duration, now: ContinuousInstant) {
        answerEnd = answerEnd ?? answerLimit(now, limit)
    }

    private func answerLimit(_ now: ContinuousInstant, _ limit: Duration) -> ContinuousInstant? {
        policy == .off ? nil : now.advanced(by: max(limit, timeout))
    }

    /// The owner wants to know whether the peer is alive. This may shorten the timeout of a pending question, but not
    /// extend it.
    package mutating func ask(within timeout: Duration, now: ContinuousInstant) -> Action {
        let (policy, pace, count, answerEnd) = (policy, pace, count, answerEnd)
        let deadline = now.advanced(by: timeout)
        switch consume state {
        case .dead:
            self = Self(policy, pace, count, answerEnd, .dead)
            return .none
        case .listening(let listening):
            self = Self(
                policy, pace, count + 1, answerEnd, .asking(Question(deadline: deadline, heard: listening.since)))
        case .probing:
            self = Self(policy, pace, count + 1, answerEnd, .asking(Question(deadline: deadline, heard: now)))
        case .asking(var question):
            question.deadline = min(question.deadline, deadline)
            self = Self(policy, pace, count, answerEnd, .asking(question))
            return .none
        }
        return .probe
    }

    package mutating func deadlinePassed(now: ContinuousInstant) -> Action {
        guard let nextDeadline, nextDeadline <= now else { return .none }
        let (policy, count, answerEnd) = (policy, count, answerEnd)
        var pace = pace
        if let end = answerEnd, end <= now {
            self = Self(policy, pace, count, answerEnd, .dead)
            return .dead
        }
        switch consume state {
        case .dead:
            self = Self(policy, pace, count, answerEnd, .dead)
            return .none
        case .listening(let listening):
            if case .whitespace = policy, listening.sent == nil {
                self = Self(policy, pace, count + 1, answerEnd, .listening(Listening(since: now)))
                return .whitespace
            }
            let probe = Probe(since: now, isAfterSilence: listening.sent == nil)
            self = Self(policy, pace, count + 1, answerEnd, .probing(probe))
            return .probe
        case .probing(let probe):
            if probe.isAfterSilence { pace?.died() }
            self = Self(policy, pace, count, answerEnd, .dead)
        case .asking: self = Self(policy, pace, count, answerEnd, .dead)
        }
        return .dead
    }

    /// A space is not allowed on this transport: the peer was asked instead.
    package mutating func askedInstead(now: ContinuousInstant) {
        let (policy, pace, count, answerEnd) = (policy, pace, count, answerEnd)
        self = Self(policy, pace, count, answerEnd, .probing(Probe(since: now, isAfterSilence: true)))
    }

    /// When to call `deadlinePassed`.
    package var nextDeadline: ContinuousInstant? {
        let next: ContinuousInstant?
        switch state {
        case .dead: return nil
        case .listening(let listening): next = deadline(listening)
        case .probing(let probe): next = probe.since.advanced(by: timeout)
        case .asking(let question): next = question.deadline
        }
        guard let next, let answerEnd else { return next ?? answerEnd }
        return min(next, answerEnd)
    }

    /// Whether a question of the owner is pending.
    package var isAsking: Bool {
        switch state {
        case .asking: true
        case .dead: false
        case .listening: false
        case .probing: false
        }
    }

    private func deadline(_ listening: Listening) -> ContinuousInstant? {
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
