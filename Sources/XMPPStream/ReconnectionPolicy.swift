/// When a session that lost its connection tries again by itself; the settings of ``ReconnectionSchedule``.
///
/// The pauses double from one attempt to the next and are shortened by chance, so that the clients of a server that was
/// restarted do not come all at once.
///
/// Only temporary failures are retried. A wrong password, a refused certificate, a conflict with another client or a
/// policy of the server ends the session regardless of these settings.
public struct ReconnectionPolicy: Sendable, Hashable {
    /// How much of a pause is left to chance.
    public enum Jitter: Sendable, Hashable {
        /// Half of it: no client comes at once, and none waits less than half of the pause.
        case equal
        /// All of it: spreads a crowd best.
        case full
    }

    /// How often in a row; 0 never, `nil` without end.
    ///
    /// Attempts that a change of the network, an awakening or the program itself asked for are not counted.
    public var attempts: Int?
    /// The pauses between attempts, before ``jitter`` shortens them.
    public var backoff: Backoff
    public var jitter = Jitter.equal

    /// For how long stanzas must have been exchanged until ``backoff`` starts again at its first pause. A server that
    /// accepts a client and drops it again has a problem, however often it accepts.
    public var recovery = Duration.seconds(30)

    /// How long a connection that may be dead has to answer, when the network has changed or the machine has
    /// slept. Five seconds are a slow mobile round trip several times over.
    public var probeTimeout = Duration.seconds(5)

    /// Whether a login that fails because there is no network is retried before there was any session. By default the
    /// failure is reported at once, because a user is waiting for it; a program that starts together with its machine
    /// can wait longer.
    public var retriesFirstLogin = false

    public init(attempts: Int?, backoff: Backoff = Backoff(first: .seconds(1), longest: .seconds(60))) {
        self.attempts = attempts
        self.backoff = backoff
    }

    /// As long as it takes: a program that runs for weeks outlives every network.
    public static let standard = ReconnectionPolicy(attempts: nil)
    /// Eight attempts in about three minutes: under the five minutes for which servers usually keep a session.
    public static let brief = ReconnectionPolicy(attempts: 8)
    public static let never = ReconnectionPolicy(attempts: 0)

    /// The pause before an attempt, counted from 1; `nil` when there were enough.
    ///
    /// - Parameter chance: between 0 and 1; the greater, the shorter the pause.
    package func pause(beforeAttempt attempt: Int, chance: Double) -> Duration? {
        if let attempts, attempt > attempts { return nil }
        return backoff.pause(after: attempt) * (1 - chance * (jitter == .equal ? 0.5 : 1))
    }
}
