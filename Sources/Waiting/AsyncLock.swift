import Synchronization

/// Lets one task through at a time, or a few, in the order of arrival.
///
/// Tasks get the lock in the order in which ``enter()`` and ``lock()`` are called in one isolation: neither suspends
/// before the task is in the queue.
package final class AsyncLock: Sendable {
    private struct State {
        var free: Int
        var nextNumber: UInt64 = 0
        var order: [UInt64] = []
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]

        /// Takes the lock if it is free; otherwise puts the caller at the end of the line.
        mutating func take(_ number: UInt64, _ continuation: CheckedContinuation<Bool, Never>) -> Bool {
            guard free == 0 else {
                free -= 1
                return true
            }
            order.append(number)
            waiting[number] = continuation
            return false
        }
    }

    private let state: Mutex<State>

    /// - Parameter limit: the maximum number of tasks that hold the lock at the same time.
    package init(limit: Int = 1) {
        state = Mutex(State(free: limit))
    }

    package var isFree: Bool { state.withLock { $0.free > 0 } }

    /// Returns when it is the task's turn; false if the task was cancelled before. After true ``leave()`` must be
    /// called.
    package nonisolated(nonsending) func enter() async -> Bool {
        let number = makeNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    // Where the lock is free, a cancelled task gets it, too: it need not wait.
                    if state.free == 0, Task.isCancelled { return false }
                    return state.take(number, continuation) ? true : nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { state in
                state.order.removeAll { $0 == number }
                return state.waiting.removeValue(forKey: number)
            }?.resume(returning: false)
        }
    }

    /// Returns when it is the task's turn, also of a task that was cancelled. ``leave()`` must be called after it.
    package nonisolated(nonsending) func lock() async {
        let number = makeNumber()
        _ = await withCheckedContinuation { continuation in
            if state.withLock({ $0.take(number, continuation) }) { continuation.resume(returning: true) }
        }
    }

    package func leave() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard !state.order.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeValue(forKey: state.order.removeFirst())
        }
        next?.resume(returning: true)
    }

    /// Does a piece of work when it is the task's turn, also that of a task that was cancelled.
    package func withLock<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        await lock()
        defer { leave() }
        return try await body()
    }

    private func makeNumber() -> UInt64 {
        state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
    }
}
