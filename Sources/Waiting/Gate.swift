import Synchronization

/// Opens once and stays open; any number of tasks wait in front of it.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
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
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    // A task that was cancelled before this point has already looked for its waiter and found none.
                    guard !state.isOpen, !Task.isCancelled else { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Returns when the gate is open, even if the task is cancelled.
    package nonisolated(nonsending) func waitUncancelled() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard !state.isOpen else { return true }
                state.nextWaiter += 1
                state.waiters[state.nextWaiter] = continuation
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
