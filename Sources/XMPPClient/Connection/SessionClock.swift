import Waiting

/// The clock of a session, which tests can control.
package struct SessionClock: Sendable {
    package var now: @Sendable () -> ContinuousClock.Instant
    /// The time without the periods in which the machine slept; `nil` if sleep is not detected.
    package var awake: (@Sendable () -> SuspendingClock.Instant)?
    /// Returns when the instant is reached or the task is cancelled.
    package var sleep: @Sendable (_ until: ContinuousClock.Instant) async -> Void

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        awake: (@Sendable () -> SuspendingClock.Instant)? = nil,
        sleep: @escaping @Sendable (_ until: ContinuousClock.Instant) async -> Void
    ) {
        self.now = now
        self.awake = awake
        self.sleep = sleep
    }

    /// Returns at the instant, at a signal that there is an earlier one, or when the task is cancelled; without an
    /// instant only at a signal.
    func wait(until instant: ContinuousClock.Instant?, or signal: Signal) async {
        guard let instant else { return await signal.wait() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await sleep(instant) }
            group.addTask { await signal.wait() }
            await group.next()
            group.cancelAll()
        }
    }

    package static let continuous = SessionClock(
        now: { ContinuousClock.now },
        awake: { SuspendingClock.now },
        sleep: { try? await ContinuousClock().sleep(until: $0) })
}
