internal import Dispatch
internal import Waiting

/// Runs a call that may block on a separate thread, outside Swift's own pool, with a timeout.
enum BlockingCall {
    private static let queue = DispatchQueue(label: "hongyan.credentials", attributes: .concurrent)

    /// The result of `body`, or an error if it takes longer than `timeout` or the calling task is cancelled. In both
    /// cases the call is asked to stop, and its thread ends when it does.
    static func run<Value: Sendable>(
        timeout: Duration, _ body: @escaping @Sendable (SecretServiceCall) -> Result<Value, CredentialError>
    ) async -> Result<Value, CredentialError> {
        // Otherwise a call that does not block could be faster than the cancellation.
        guard !Task.isCancelled else { return .failure(CredentialError(.cancelled)) }
        return await withTaskGroup(of: Result<Value, CredentialError>.self) { group in
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
        let answer = Promise<Result<Value, CredentialError>>()
        return await withTaskCancellationHandler {
            queue.async { answer.fulfil(body(call)) }
            return await answer.value(cancelled: .failure(CredentialError(.cancelled)))
        } onCancel: {
            call.stop()
        }
    }
}
