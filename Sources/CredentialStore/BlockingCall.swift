internal import Dispatch
internal import Synchronization

/// Runs a call that may block on a separate thread, outside Swift's own pool, with a timeout.
enum BlockingCall {
    private static let queue = DispatchQueue(label: "hongyan.credentials", attributes: .concurrent)

    /// The result of `body`, or an error if it takes longer than `timeout` or the calling task is cancelled. In both
    /// cases the call is asked to stop, and its thread ends when it does.
    static func run<Value: Sendable>(
        timeout: Duration, _ body: @escaping @Sendable (SecretServiceCall) -> Result<Value, CredentialError>
    ) async -> Result<Value, CredentialError> {
        await withTaskGroup(of: Result<Value, CredentialError>.self) { group in
            group.addTask { await start(body) }
            group.addTask {
                do {
                    try await Task.sleep(for: timeout)
                    return .failure(CredentialError(.timedOut))
                } catch {
                    return .failure(CredentialError(.cancelled))
                }
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? .failure(CredentialError(.cancelled))
        }
    }

    private static func start<Value: Sendable>(
        _ body: @escaping @Sendable (SecretServiceCall) -> Result<Value, CredentialError>
    ) async -> Result<Value, CredentialError> {
        let call = SecretServiceCall()
        let answer = FirstAnswer<Result<Value, CredentialError>>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.wait(continuation)
                queue.async { answer.give(body(call)) }
            }
        } onCancel: {
            call.stop()
            answer.give(.failure(CredentialError(.cancelled)))
        }
    }
}

/// Passes the first of several results to one waiting task, in whichever order they arrive.
private final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, Never>)
        case answered(Value)
        case done
    }

    private let state = Mutex(State.open)

    func wait(_ continuation: CheckedContinuation<Value, Never>) {
        let answer: Value? = state.withLock { state in
            guard case .answered(let value) = state else {
                state = .waiting(continuation)
                return nil
            }
            state = .done
            return value
        }
        if let answer { continuation.resume(returning: answer) }
    }

    func give(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .answered(value)
                return nil
            case .waiting(let continuation):
                state = .done
                return continuation
            case .answered, .done:
                return nil
            }
        }
        waiter?.resume(returning: value)
    }
}
