internal import TransportLayer
package import Waiting

/// The clock of a session, which tests can control.
package struct SessionClock: Sendable {
    package var now: @Sendable () -> ContinuousInstant
    /// How long the machine was awake, from any beginning; `nil` if sleep is not detected.
    package var awake: (@Sendable () -> Duration)?
    /// Returns when the instant is reached or the task is cancelled.
    package var sleep: @Sendable (_ until: ContinuousInstant) async -> Void
    /// Calls the closure at the instant; `nil` for the timers of the event loop.
    package var schedule: (@Sendable (_ at: ContinuousInstant, _ call: @escaping @Sendable () -> Void) -> Void)?

    package init(
        now: @escaping @Sendable () -> ContinuousInstant,
        awake: (@Sendable () -> Duration)? = nil,
        sleep: @escaping @Sendable (_ until: ContinuousInstant) async -> Void,
        schedule: (@Sendable (_ at: ContinuousInstant, _ call: @escaping @Sendable () -> Void) -> Void)? = nil
    ) {
        self.now = now
        self.awake = awake
        self.sleep = sleep
        self.schedule = schedule
    }

    private static let beginning = SuspendingClock.now

    package static let continuous = SessionClock(
        now: { ContinuousInstant.now },
        awake: { beginning.duration(to: .now) },
        sleep: { await EventLoop.shared.sleep(until: $0) })
}
