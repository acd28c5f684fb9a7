import Synchronization

/// A value that comes later, for the one task that waits for it. The first value counts.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, Never>)
        case fulfilled(Value)
    }

    private let state = Mutex(State.open)

    package init() {}

    package func fulfil(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .fulfilled(value)
                return nil
            case .waiting(let waiter):
                state = .fulfilled(value)
                return waiter
            case .fulfilled:
                return nil
            }
        }
        waiter?.resume(returning: value)
    }

    /// The value. When the task is cancelled before it comes, the promise is fulfilled with `cancelled`.
    package nonisolated(nonsending) func value(cancelled: Value) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: Value? = state.withLock { state in
                    switch state {
                    case .open:
                        state = .waiting(continuation)
                        return nil
                    case .fulfilled(let value): return value
                    case .waiting: preconditionFailure("Two tasks wait for the same promise.")
                    }
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            fulfil(cancelled)
        }
    }
}
