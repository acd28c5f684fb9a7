/// When a session that lost its connection tries again by itself.
///
/// The pauses double from one attempt to the next and are shortened by chance, so that the clients of a server that was
/// restarted do not come all at once.
public struct ReconnectionPolicy: Sendable, Hashable {
    /// How often in a row; 0 never.
    public var attempts: Int
    /// The pause before the first attempt.
    public var firstPause: Duration
    /// The longest pause.
    public var longestPause: Duration

    public init(attempts: Int, firstPause: Duration = .seconds(1), longestPause: Duration = .seconds(60)) {
        self.attempts = attempts
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// Eight attempts in about three minutes: under the five minutes for which servers usually keep a session.
    public static let standard = ReconnectionPolicy(attempts: 8)
    public static let never = ReconnectionPolicy(attempts: 0)

    /// The pause before an attempt, counted from 1; `nil` when there were enough.
    ///
    /// - Parameter chance: between 0 and 1; the pause is shortened by up to a half.
    func pause(beforeAttempt attempt: Int, chance: Double) -> Duration? {
        guard attempt <= attempts else { return nil }
        var pause = firstPause
        for _ in 1..<max(attempt, 1) where pause < longestPause { pause *= 2 }
        return min(pause, longestPause) * (1 - chance / 2)
    }
}
