/// Where a session takes the time from, so that tests can move it by hand.
package struct SessionClock: Sendable {
    package var now: @Sendable () -> ContinuousClock.Instant
    /// Returns when the instant has come or the task is cancelled.
    package var sleep: @Sendable (_ until: ContinuousClock.Instant) async -> Void

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (_ until: ContinuousClock.Instant) async -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    package static let continuous = SessionClock(
        now: { ContinuousClock.now },
        sleep: { try? await ContinuousClock().sleep(until: $0) })
}
