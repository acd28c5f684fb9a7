internal import CEpoll
internal import Glibc
internal import Synchronization

/// Hands over jobs when their time has come: one thread that sleeps until the next of them, and for ever where there is none.
final class JobTimer: Sendable {
    /// In nanoseconds of the clock; the next one is the last, so that taking it moves nothing.
    private let entries = Mutex<[(deadline: Int64, job: UnownedJob)]>([])
    private let clock: clockid_t
    /// The kernel's timer, set for the next job, or not set.
    let descriptor: Int32
    private let fire: @Sendable (UnownedJob) -> Void

    /// What is later than in thirty years is never.
    private static let longest: Int64 = 1_000_000_000 * 3600 * 24 * 365 * 30

    /// - Parameters:
    ///   - clock: `CLOCK_BOOTTIME`, or `CLOCK_MONOTONIC`, which stands still while the machine sleeps.
    ///   - fire: called on the timer's thread.
    init(clock: clockid_t, _ fire: @escaping @Sendable (UnownedJob) -> Void) {
        self.clock = clock
        self.fire = fire
        descriptor = timerfd_create(clock, Int32(TFD_CLOEXEC))
        precondition(descriptor >= 0, "no timer: the process has no file descriptor left")
        let hasStarted = startDetachedThread { [self] in run() }
        precondition(hasStarted, "no timer: the process cannot start a thread")
    }

    func schedule(_ job: UnownedJob, after delay: Duration) {
        let deadline = now + Self.nanoseconds(delay)
        entries.withLock { entries in
            // The place behind all that come later; of equal ones the older one comes first.
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].deadline > deadline { low = middle + 1 } else { high = middle }
            }
            entries.insert((deadline, job), at: low)
            if low == entries.count - 1 { arm(deadline) }
        }
    }

    private func run() -> Never {
        var expirations: UInt64 = 0
        while true {
            // Blocks until the timer has fired; `arm` moves it meanwhile.
            _ = read(descriptor, &expirations, MemoryLayout<UInt64>.size)
            let now = now
            let due: [UnownedJob] = entries.withLock { entries in
                var due: [UnownedJob] = []
                while let entry = entries.last, entry.deadline <= now {
                    due.append(entry.job)
                    entries.removeLast()
                }
                if let next = entries.last { arm(next.deadline) }
                return due
            }
            for job in due { fire(job) }
        }
    }

    /// Called with the lock held, so that the timer is set to what is the next one.
    private func arm(_ deadline: Int64) {
        var time = itimerspec()
        time.it_value.tv_sec = Int(deadline / 1_000_000_000)
        time.it_value.tv_nsec = Int(deadline % 1_000_000_000)
        timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }

    private var now: Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        guard seconds < longest / 1_000_000_000 else { return longest }
        // Rounded up: nobody is woken before the time.
        return max(0, seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000)
    }
}
