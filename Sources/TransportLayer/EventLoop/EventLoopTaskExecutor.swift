import Synchronization

/// Runs tasks on the thread of an ``EventLoop``, as the executor that a task prefers; see ``EventLoop/taskExecutor``.
public final class EventLoopTaskExecutor: TaskExecutor {
    /// Set when the loop is made.
    private let loop = AtomicLazyReference<EventLoop>()

    init() {}

    func begin(on loop: EventLoop) { _ = self.loop.storeIfNil(loop) }

    public func enqueue(_ job: consuming ExecutorJob) {
        guard let loop = loop.load() else { preconditionFailure("the loop begins with its executor") }
        loop.append(.taskJob(UnownedJob(job)))
    }

    public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }
}
