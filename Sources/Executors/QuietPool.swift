internal import Glibc

/// A few threads for what Swift's tasks do, which wait without a limit of time while there is nothing to do.
///
/// libdispatch, which Swift uses on Linux otherwise, looks after its own threads once a second as long as the process lives: a
/// program that does nothing wakes the processor all the same. Tasks may not block a thread here, as they may not there.
///
/// `@unchecked Sendable`: `mutex` guards every variable; `condition` may be used by all threads.
final class QuietPool: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let width: Int
    private let body: @Sendable (UnownedJob) -> Void
    /// In the order in which they run. Those before `next` are taken already.
    private var jobs: [UnownedJob] = []
    private var next = 0
    private var threads = 0
    private var idle = 0

    /// - Parameters:
    ///   - width: how many jobs run at once at most.
    ///   - body: runs a job.
    init(width: Int, _ body: @escaping @Sendable (UnownedJob) -> Void) {
        self.width = width
        self.body = body
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    /// Never called for the pool of a process: the threads that there are keep it.
    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func append(_ job: UnownedJob) {
        pthread_mutex_lock(mutex)
        jobs.append(job)
        let waiting = jobs.count - next
        let mustStart = idle < waiting && threads < width
        if mustStart { threads += 1 }
        let mustWake = idle > 0
        pthread_mutex_unlock(mutex)
        if mustWake { pthread_cond_signal(condition) }
        if mustStart { startThread() }
    }

    private func startThread() {
        let hasStarted = startDetachedThread { [self] in work() }
        guard !hasStarted else { return }
        // Those that run do all of it; without one nothing would ever be done.
        pthread_mutex_lock(mutex)
        threads -= 1
        precondition(threads > 0, "no thread for tasks: the process cannot start one")
        pthread_mutex_unlock(mutex)
    }

    private func work() -> Never {
        while true { body(take()) }
    }

    private func take() -> UnownedJob {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while next == jobs.count {
            idle += 1
            pthread_cond_wait(condition, mutex)
            idle -= 1
        }
        let job = jobs[next]
        next += 1
        if next == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            next = 0
        } else if next >= 256, next * 2 >= jobs.count {
            jobs.removeFirst(next)
            next = 0
        }
        return job
    }
}

/// Starts a thread that nobody waits for; `false` if the process may have no more of them.
func startDetachedThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    let retained = Unmanaged.passRetained(ThreadBody(body))
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().body()
            return nil
        }, retained.toOpaque())
    guard code == 0 else {
        retained.release()
        return false
    }
    pthread_detach(thread)
    return true
}

private final class ThreadBody: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
