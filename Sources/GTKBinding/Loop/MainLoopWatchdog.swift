internal import CGTK
internal import Glibc

/// Measures the turns of the main loop: while one lasts, no key is answered and nothing is painted.
///
///     let watchdog = MainLoopWatchdog()
///     …
///     print(watchdog.longest.processor)
///
/// A turn is what happens between two times that the loop waits for something to do. It begins when the loop has waited and ends when
/// it waits again. There is one watchdog at a time; it ends with the last reference to it.
@MainActor
public final class MainLoopWatchdog {
    public struct Turn: Sendable, Hashable {
        /// By the clock: on a machine with other work it says little.
        public var wall = Duration.zero
        /// Of the processor, by the thread of the loop alone. Where the loop is turned by hand, the thread may change between two turns;
        /// then it is the time of the whole process.
        public var processor = Duration.zero
    }

    /// The longest time of each kind so far; they may be of two turns.
    public private(set) var longest = Turn()
    /// Turns so far.
    public private(set) var count = 0

    private static weak var current: MainLoopWatchdog?
    private var start: Moment?

    private struct Moment {
        let thread = pthread_self()
        let wall = time(CLOCK_MONOTONIC)
        let threadTime = time(CLOCK_THREAD_CPUTIME_ID)
        let processTime = time(CLOCK_PROCESS_CPUTIME_ID)
    }

    public init() {
        Self.current = self
        g_main_context_set_poll_func(nil) { descriptors, count, timeout in
            MainActor.assumeIsolated { MainLoopWatchdog.current?.end() }
            let ready = g_poll(descriptors, count, timeout)
            MainActor.assumeIsolated { MainLoopWatchdog.current?.begin() }
            return ready
        }
    }

    isolated deinit {
        if Self.current == nil { g_main_context_set_poll_func(nil, nil) }
    }

    /// Forgets what was measured so far; the turn that lasts does not count.
    public func reset() {
        longest = Turn()
        count = 0
        start = nil
    }

    private func begin() { start = Moment() }

    private func end() {
        guard let start else { return }
        let now = Moment()
        self.start = nil
        count += 1
        longest.wall = max(longest.wall, now.wall - start.wall)
        let processor =
            pthread_equal(now.thread, start.thread) != 0
            ? now.threadTime - start.threadTime : now.processTime - start.processTime
        longest.processor = max(longest.processor, processor)
    }

    private static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
