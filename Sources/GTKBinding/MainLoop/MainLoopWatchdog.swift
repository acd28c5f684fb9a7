internal import CGTK
internal import Glibc

/// Measures the iterations of the main loop: during one, no key is handled and nothing is painted.
///
///     let watchdog = MainLoopWatchdog()
///     …
///     print(watchdog.longest.processor)
///
/// An iteration is the time between two waits of the loop. It starts when the loop has waited and ends when it waits
/// again. There is one watchdog at a time; it ends when the last reference to it is released.
@MainActor
public final class MainLoopWatchdog {
    public struct Iteration: Sendable, Hashable {
        /// Wall-clock time; on a busy machine it says little.
        public var wall = Duration.zero
        /// CPU time of the loop's thread. Where a test runs the loop, the thread may change between two iterations;
        /// then it is the CPU time of the whole process.
        public var processor = Duration.zero
    }

    /// The longest time of each kind so far, possibly of two different iterations.
    public private(set) var longest = Iteration()
    /// The number of iterations so far.
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

    /// Resets the measurements; the current iteration does not count.
    public func reset() {
        longest = Iteration()
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
