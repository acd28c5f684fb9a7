import Synchronization

/// The tasks that a session has started beside its own: they are cancelled and awaited at its end.
final class Jobs: Sendable {
    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var last: UInt64 = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// Starts a task, unless the session is over. It inherits nothing from the caller.
    ///
    /// - Parameter executor: Where code runs that has no other place.
    func start(on executor: (any TaskExecutor)? = nil, _ job: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isOver else { return }
            state.last += 1
            let number = state.last
            state.tasks[number] = Task.detached(executorPreference: executor) {
                await job()
                self.ended(number)
            }
        }
    }

    private func ended(_ number: UInt64) {
        state.withLock { state in
            state.tasks[number] = nil
            if state.tasks.isEmpty { state.tasks = [:] }
        }
    }

    /// Cancels all tasks and returns when they have ended.
    nonisolated(nonsending) func end() async {
        let tasks = state.withLock { state in
            state.isOver = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

extension Session {
    /// Runs work as a task of the session, cancelled at its end.
    nonisolated func spawn(_ job: @escaping @Sendable () async -> Void) { jobs.start(job) }
}
