import TransportLayer
import Waiting

/// The timer of the next deadline of a session: it runs while the session works.
struct DeadlineTimer {
    /// One setting of the timer.
    private struct Setting {
        let instant: ContinuousInstant
        /// `nil` if it cannot be cancelled: then it is recognized by its number.
        let timer: TimerQueue.Identifier?
    }

    private enum State {
        case stopped
        /// There is no deadline.
        case idle
        case set(Setting)
    }

    private var state = State.stopped
    /// The number of the last setting.
    private var number: UInt64 = 0

    mutating func start() { state = .idle }

    mutating func stop(on loop: EventLoop) {
        if case .set(let setting) = state, let timer = setting.timer { loop.state.cancelTimer(timer) }
        state = .stopped
    }

    /// Whether the timer runs and must be set to this deadline: it is set to none or to a later one.
    func isDue(before deadline: ContinuousInstant) -> Bool {
        switch state {
        case .stopped: false
        case .idle: true
        case .set(let setting): deadline < setting.instant
        }
    }

    /// Sets the timer to a deadline; the closure gets the number of the setting for ``passed(_:)``.
    mutating func set(
        to deadline: ContinuousInstant, of clock: SessionClock, on loop: EventLoop,
        _ call: @escaping @Sendable (UInt64) -> Void
    ) {
        stop(on: loop)
        number += 1
        let ring: @Sendable () -> Void = { [number] in call(number) }
        if let schedule = clock.schedule {
            schedule(deadline) { loop.execute(ring) }
            state = .set(Setting(instant: deadline, timer: nil))
        } else {
            state = .set(Setting(instant: deadline, timer: loop.state.schedule(at: deadline, ring)))
        }
    }

    /// The time of a setting has passed.
    ///
    /// - Returns: Whether it is the last setting and the timer runs.
    mutating func passed(_ number: UInt64) -> Bool {
        guard number == self.number, case .set = state else { return false }
        state = .idle
        return true
    }
}
