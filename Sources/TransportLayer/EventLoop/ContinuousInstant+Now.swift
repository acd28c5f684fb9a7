import Glibc
public import Waiting

extension ContinuousInstant {
    /// The current time of the machine (`CLOCK_BOOTTIME`, the clock of `ContinuousClock`).
    public static var now: Self {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Self(
            sinceStart: Duration(
                secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000))
    }
}

extension Task where Success == Never, Failure == Never {
    /// Returns at an instant of the machine's clock, at once if it is past.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before.
    public static func sleep(until instant: ContinuousInstant) async throws {
        try await sleep(for: ContinuousInstant.now.duration(to: instant))
    }
}
