import Synchronization
import XMPPStanzas

/// The place where one request waits for its answer; filled once.
final class Reply: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Result<IQ, ClientError>, Never>)
        case filled(Result<IQ, ClientError>)
    }

    private let state = Mutex(State.open)

    /// The first result counts.
    func fill(_ result: Result<IQ, ClientError>) {
        let waiter: CheckedContinuation<Result<IQ, ClientError>, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .filled(result)
                return nil
            case .waiting(let waiter):
                state = .filled(result)
                return waiter
            case .filled:
                return nil
            }
        }
        waiter?.resume(returning: result)
    }

    /// The result, or `cancelled` as soon as the task is.
    func result() async -> Result<IQ, ClientError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: Result<IQ, ClientError>? = state.withLock { state in
                    switch state {
                    case .open:
                        state = .waiting(continuation)
                        return nil
                    case .filled(let result): return result
                    case .waiting: preconditionFailure("Two tasks wait for the same answer.")
                    }
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            fill(.failure(.cancelled))
        }
    }
}
