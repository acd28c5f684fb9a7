import Synchronization

/// Opens once and stays open; any number of tasks wait in front of it.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

        /// A number for the next waiter.
        mutating func number() -> UInt64 {
            nextWaiter += 1
            return nextWaiter
        }
    }

    private let state = Mutex(State())

    package init() {}

    package var isOpen: Bool { state.withLock { $0.isOpen } }

    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the gate is open or the task is cancelled.
    package nonisolated(nonsending) func wait() async {
        let number = state.withLock { $0.number() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { enter($0, number, isCancellable: true) }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Returns when the gate is open, even if the task is cancelled.
    package nonisolated(nonsending) func waitUncancelled() async {
        await withCheckedContinuation { enter($0, state.withLock { $0.number() }, isCancellable: false) }
    }

    private func enter(_ continuation: CheckedContinuation<Void, Never>, _ number: UInt64, isCancellable: Bool) {
        let isDone = state.withLock { state in
            // A task that was cancelled before this point has already looked for its waiter and found none.
            guard !state.isOpen, !(isCancellable && Task.isCancelled) else { return true }
            state.waiters[number] = continuation
            return false
        }
        if isDone { continuation.resume() }
    }
}
