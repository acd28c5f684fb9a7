internal import Glibc

#if compiler(>=6.3) && compiler(<6.4)
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency
#endif

/// Runs all tasks of a program on threads that do nothing at all while there is nothing to do.
///
/// For a program that is open all day. Swift's own executor costs a wake-up a second from the first task on, as libdispatch
/// looks after its threads; and so does any concurrent queue of libdispatch and each of its global ones, so a program that uses
/// this keeps to serial queues. Where Swift cannot exchange its executor (it can in 6.3, experimentally) nothing changes.
public enum QuietExecutor {
    /// Takes over the tasks of this process. To be called once, on the first thread, before the first task.
    public static func serveProgram() {
        #if compiler(>=6.3) && compiler(<6.4)
            _createExecutors(factory: Factory.self)
        #endif
    }

    /// Whether Swift lets a program choose who runs its tasks.
    public static var isPossible: Bool {
        #if compiler(>=6.3) && compiler(<6.4)
            true
        #else
            false
        #endif
    }
}

#if compiler(>=6.3) && compiler(<6.4)
    private enum Factory: ExecutorFactory {
        /// The main actor stays libdispatch's main queue, which needs no thread and no timer.
        static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
        static var defaultExecutor: any TaskExecutor { PoolExecutor.shared }
    }

    final class PoolExecutor: TaskExecutor, SchedulingExecutor {
        static let shared = PoolExecutor()

        /// As many as libdispatch would take; two at least, so that one job that is slow does not hold up everything.
        private let pool = QuietPool(width: max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) { job in
            job.runSynchronously(on: generic)
        }
        let continuous: JobTimer
        let suspending: JobTimer

        private init() {
            let pool = pool
            continuous = JobTimer(clock: CLOCK_BOOTTIME) { pool.append($0) }
            suspending = JobTimer(clock: CLOCK_MONOTONIC) { pool.append($0) }
        }

        func enqueue(_ job: consuming ExecutorJob) { pool.append(UnownedJob(job)) }

        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
        ) {
            guard let delay = delay as? Duration else {
                preconditionFailure("a clock that does not count in seconds sleeps by itself")
            }
            let timer = clock is SuspendingClock ? suspending : continuous
            timer.schedule(UnownedJob(job), after: delay)
        }

        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
        ) {
            enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
        }
    }

    /// No actor in particular: what Swift's own pool runs its jobs on. Two zeroes are its representation in the runtime.
    private let generic = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)
#endif
