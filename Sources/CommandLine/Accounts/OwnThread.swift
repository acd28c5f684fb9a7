internal import Dispatch

/// Runs what blocks (a question on the terminal, a file) on a thread of its own, so that nothing else stands still.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
}
