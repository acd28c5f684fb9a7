import XMPPStanzas

/// When a session reconnects automatically; the settings of ``ReconnectionSchedule``.
///
/// The backoff doubles from one attempt to the next and is shortened randomly, so that the clients of a restarted
/// server do not connect all at once.
///
/// Only temporary failures are retried. A wrong password, a refused certificate, a conflict with another client or a
/// policy of the server ends the session regardless of these settings.
public struct ReconnectionPolicy: Sendable, Hashable {
    /// The part of the backoff that is random.
    public enum Jitter: Sendable, Hashable {
        /// Half of it: no client connects at once, and none waits less than half of the backoff.
        case equal
        /// All of it: spreads many clients best.
        case full
    }

    /// The maximum number of attempts in a row; 0 disables them, `nil` is unlimited.
    ///
    /// Attempts caused by a change of the network, by waking up, or by the program itself are not counted.
    public var attempts: Int?
    /// The pauses between attempts, before ``jitter`` shortens them.
    public var backoff: Backoff
    public var jitter = Jitter.equal

    /// How long a session must be online before ``backoff`` starts again at its first value. A server that accepts a
    /// client and drops it again has a problem, no matter how often it accepts.
    public var recovery = Duration.seconds(30)

    /// The timeout for checking a connection after the network has changed or the machine has slept. Five seconds are
    /// several slow mobile round trips.
    public var probeTimeout = Duration.seconds(5)

    /// Whether a login that fails because there is no network is retried before there was any session. By default the
    /// failure is reported at once, because a user is waiting for it; a program that starts together with its machine
    /// can wait longer.
    public var retriesFirstLogin = false

    public init(attempts: Int?, backoff: Backoff = Backoff(first: .seconds(1), longest: .seconds(60))) {
        self.attempts = attempts
        self.backoff = backoff
    }

    /// Unlimited attempts: a program that runs for weeks survives any network failure.
    public static let standard = ReconnectionPolicy(attempts: nil)
    /// Eight attempts in about three minutes: less than the five minutes for which servers usually keep a session.
    public static let brief = ReconnectionPolicy(attempts: 8)
    public static let never = ReconnectionPolicy(attempts: 0)

    /// The backoff before an attempt, counted from 1; `nil` after the last one.
    ///
    /// - Parameter jitterFraction: between 0 and 1; a larger value gives a shorter backoff.
    package func pause(beforeAttempt attempt: Int, jitterFraction: Double) -> Duration? {
        if let attempts, attempt > attempts { return nil }
        return backoff.pause(after: attempt) * (1 - jitterFraction * (jitter == .equal ? 0.5 : 1))
    }
}

/// The reaction to the end of a stream.
enum ReconnectionRemedy: Equatable, Sendable {
    /// Nothing: the end was requested.
    case none
    /// The user, or other settings. An automatic attempt would fail again or do harm: lock the account, compete with
    /// another client for a resource, or insist on a server whose certificate was rejected.
    case person
    /// Connect to another host at once (RFC 6120 §4.9.3.19).
    case elsewhere(StreamError.Host)
    /// Start a new session at once: the server that has the old one does not respond.
    case fresh
    /// Try again after the backoff.
    case time
    /// Try again after the backoff, unless the same failure occurred at the same position repeatedly: then the user has
    /// to act.
    case timeUnlessRepeated(StreamFailure.Cause)

    /// - Parameters:
    ///   - wasOnline: Whether this account had a session before, which proves that the settings are correct.
    ///   - hasGhost: Whether the server may still be resuming a session that was replaced by a new one.
    init(_ end: StreamEnd, wasOnline: Bool, hasGhost: Bool = false) {
        switch end.reason {
        case .requested: self = .none
        case .closedByServer: self = .time
        case .failed(let failure): self.init(failure, wasOnline, hasGhost)
        }
    }

    private init(_ failure: StreamFailure, _ wasOnline: Bool, _ hasGhost: Bool) {
        if let other = failure.streamError?.otherHost {
            self = .elsewhere(other)
            return
        }
        switch failure.code {
        case .resumptionTimedOut: self = .fresh
        // The state of the session was wrong, not the account: a new session has a new state.
        case .handledCountTooHigh: self = .time
        // A handshake interrupted by a lost connection looks like a rejected one. If a handshake has succeeded before,
        // the former is more likely, and nothing is ever sent without encryption.
        case .encryptionFailed: self = wasOnline ? .time : .person
        default:
            switch failure.category {
            case .connection: self = .time
            // A sent or received stanza broke the stream, not the account, which must not stay offline because of it.
            case .protocolViolation where wasOnline: self = .timeUnlessRepeated(failure.cause)
            case .policy where wasOnline && failure.objectsToOurStanza: self = .time
            // No other client wants the resource: it is this client's own old session that the server resumed.
            case .conflict where hasGhost: self = .time
            // The server has not noticed yet that the previous connection of this component is gone.
            case .conflict where wasOnline && failure.code == .componentRefused: self = .time
            case .authentication, .encryption, .policy, .settings, .conflict, .protocolViolation: self = .person
            }
        }
    }
}
