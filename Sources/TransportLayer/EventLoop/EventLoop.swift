import CEpoll
import COpenSSL
import Glibc
import Synchronization

/// A thread that waits for sockets with epoll and runs the code of their connections.
///
/// A connection is an actor whose executor is the loop, so its state needs no lock. An actor of a higher layer may use
/// the same loop as its executor; then it calls its transport without changing threads, and one message costs three
/// system calls: wait, receive, send.
///
/// An iteration of the loop runs the queued jobs, writes what the connections have collected, waits, and handles the
/// events. Code that runs on the loop must not block.
public final class EventLoop: Sendable {
    /// The default loop.
    public static let shared = EventLoop()

    /// The loops among which sessions are distributed: one for each processor, started when they are needed.
    private static let distributed = Mutex((loops: [EventLoop](), turn: 0))

    /// The loop for the next session: all of them in turn, the default loop first.
    public static func next() -> EventLoop {
        distributed.withLock { state in
            let limit = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
            if state.loops.count < limit { state.loops.append(state.loops.isEmpty ? shared : EventLoop()) }
            defer { state.turn = (state.turn + 1) % limit }
            return state.loops[state.turn]
        }
    }

    enum Work {
        /// Of an actor whose executor is the loop.
        case job(UnownedJob)
        /// Of a task that prefers the loop.
        case taskJob(UnownedJob)
        case block(@Sendable () -> Void)
    }

    private struct Inbox {
        var work: [Work] = []
        /// Whether the thread is in, or about to enter, a wait that only the wake-up descriptor ends.
        var isWaiting = false
    }

    private let inbox = Mutex(Inbox())
    /// Runs tasks on the thread of the loop: with it as the preference of a task (`withTaskExecutorPreference`), code that belongs to
    /// no actor uses what is on the loop without changing threads. It must not block.
    public let taskExecutor = EventLoopTaskExecutor()
    private let wakeUp: Int32
    private let thread = Atomic<UInt>(0)
    package let state: EventLoopState

    /// Starts a loop. Its thread lives as long as the process, so create few.
    public init() {
        // The thread is still at work when the process ends.
        openssl_start()
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        // The clock of `ContinuousClock`, which advances while the machine sleeps.
        let timer = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        precondition(epoll >= 0 && wakeUp >= 0 && timer >= 0, "no event loop: the process has no file descriptor left")
        state = EventLoopState(epoll: epoll, timer: timer)
        // Edge-triggered: the counters are never read, because each write and each expiration is an event.
        state.add(wakeUp, events: EPOLLIN.rawValue | EPOLLET.rawValue, token: EventLoopState.wakeUpToken)
        state.add(timer, events: EPOLLIN.rawValue | EPOLLET.rawValue, token: EventLoopState.timerToken)

        taskExecutor.begin(on: self)
        var handle = pthread_t()
        let loop = Unmanaged.passRetained(self)
        let code = pthread_create(
            &handle, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().run()
            }, loop.toOpaque())
        precondition(code == 0, "no event loop: the process cannot start a thread")
        pthread_detach(handle)
    }

    /// Whether the caller runs on the loop's thread.
    public var isCurrent: Bool {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Runs `block` on the thread of the loop, after the jobs that are already queued.
    public func execute(_ block: @escaping @Sendable () -> Void) {
        append(.block(block))
    }

    func append(_ work: Work) {
        guard !isCurrent else { return state.append(work) }
        let mustWake = inbox.withLock { inbox in
            inbox.work.append(work)
            let wasWaiting = inbox.isWaiting
            inbox.isWaiting = false
            return wasWaiting
        }
        if mustWake {
            var one: UInt64 = 1
            _ = Glibc.write(wakeUp, &one, 8)
        }
    }

    private func run() -> Never {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        pthread_setname_np(pthread_self(), "event-loop")
        var batch: [Work] = []
        while true {
            runQueued(&batch)
            // What has arrived is handled before deadlines: if the loop was late, the other side was not.
            state.fireTimers()
            state.flushConnections()
            state.armTimer()
            state.takeDeferred()
            let mayWait = inbox.withLock { inbox in
                inbox.isWaiting = inbox.work.isEmpty && !state.hasWork
                return inbox.isWaiting
            }
            state.poll(milliseconds: mayWait ? -1 : 0)
            if mayWait { inbox.withLock { $0.isWaiting = false } }
        }
    }

    /// Runs the queued jobs and those that they queue, up to a limit, so that sockets are not starved.
    private func runQueued(_ batch: inout [Work]) {
        for _ in 0..<32 {
            inbox.withLock { swap(&$0.work, &batch) }
            if batch.isEmpty && !state.hasWork { return }
            run(&batch)
            state.takeWork(&batch)
            run(&batch)
        }
    }

    private func run(_ batch: inout [Work]) {
        for work in batch {
            switch work {
            case .job(let job):
                job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: taskExecutor.asUnownedTaskExecutor())
            // As code of no actor: otherwise each call of such code would leave the actor first, with a job of its own.
            case .taskJob(let job): job.runSynchronously(on: taskExecutor.asUnownedTaskExecutor())
            case .block(let block): block()
            }
        }
        batch.removeAll(keepingCapacity: true)
    }
}

extension EventLoop: SerialExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        append(.job(UnownedJob(job)))
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    public func checkIsolated() {
        precondition(isCurrent, "this code must run on the thread of its event loop")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}
