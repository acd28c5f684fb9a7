import Synchronization

/// Lets one task through at a time, in the order of arrival.
///
/// The order is that in which ``enter()`` and ``lock()`` are called in one isolation: neither leaves it before it stands in line.
package final class AsyncLock: Sendable {
    private struct State {
        var isTaken = false
        var nextNumber: UInt64 = 0
        var order: [UInt64] = []
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]

        /// Takes the lock if it is free; otherwise puts the caller at the end of the line.
        mutating func take(_ number: UInt64, _ continuation: CheckedContinuation<Bool, Never>) -> Bool {
            guard isTaken else {
                isTaken = true
                return true
            }
            order.append(number)
            waiting[number] = continuation
            return false
        }
    }

    private let state = Mutex(State())

    package init() {}

    package var isFree: Bool { state.withLock { !$0.isTaken } }

    /// Returns when it is the task's turn; false if the task was cancelled before. After true ``leave()`` must be called.
    package nonisolated(nonsending) func enter() async -> Bool {
        let number = makeNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    // Where the lock is free, a cancelled task gets it, too: it need not wait.
                    if state.isTaken, Task.isCancelled { return false }
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
                state.isTaken = false
                return nil
            }
            return state.waiting.removeValue(forKey: state.order.removeFirst())
        }
        next?.resume(returning: true)
    }

    private func makeNumber() -> UInt64 {
        state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
    }
}
