import Synchronization

/// Wakes the one task that waits for work. A ring that comes while nobody waits is kept, several count as one.
final class Doorbell: Sendable {
    private enum State {
        case quiet
        case rung
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.quiet)

    func ring() {
        let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
            switch state {
            case .waiting(let waiter):
                state = .quiet
                return waiter
            case .quiet, .rung:
                state = .rung
                return nil
            }
        }
        waiter?.resume()
    }

    /// Returns after the next ring or when the task is cancelled. One task at a time may wait.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    switch state {
                    case .rung:
                        state = .quiet
                        return true
                    case .quiet where Task.isCancelled:
                        return true
                    case .quiet:
                        state = .waiting(continuation)
                        return false
                    case .waiting:
                        preconditionFailure("Two tasks wait at the same doorbell.")
                    }
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            ring()
        }
    }
}
