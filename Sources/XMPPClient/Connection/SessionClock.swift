/// The clock of a session, which tests can control.
package struct SessionClock: Sendable {
    package var now: @Sendable () -> ContinuousClock.Instant
    /// The time without the periods in which the machine slept; `nil` if sleep is not detected.
    package var awake: (@Sendable () -> SuspendingClock.Instant)?
    /// Returns when the instant is reached or the task is cancelled.
    package var sleep: @Sendable (_ until: ContinuousClock.Instant) async -> Void
    /// Calls the closure at the instant; `nil` for the timers of the event loop.
    package var schedule: (@Sendable (_ at: ContinuousClock.Instant, _ call: @escaping @Sendable () -> Void) -> Void)?

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        awake: (@Sendable () -> SuspendingClock.Instant)? = nil,
        sleep: @escaping @Sendable (_ until: ContinuousClock.Instant) async -> Void,
        schedule: (@Sendable (_ at: ContinuousClock.Instant, _ call: @escaping @Sendable () -> Void) -> Void)? = nil
    ) {
        self.now = now
        self.awake = awake
        self.sleep = sleep
        self.schedule = schedule
    }

    package static let continuous = SessionClock(
        now: { ContinuousClock.now },
        awake: { SuspendingClock.now },
        sleep: { try? await ContinuousClock().sleep(until: $0) })
}
