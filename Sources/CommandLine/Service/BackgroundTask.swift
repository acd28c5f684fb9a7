/// Work that continues when the task that has started it is cancelled, so that it can be ended in another way.
final class BackgroundTask: Sendable {
    private let task: Task<Void, any Error>
    private let end: AsyncStream<Void>

    init(_ body: @escaping @Sendable () async throws -> Void) {
        let (end, continuation) = AsyncStream.makeStream(of: Void.self)
        self.end = end
        task = Task {
            defer { continuation.finish() }
            try await body()
        }
    }

    /// Waits until the work has ended, or the waiting task is cancelled. One task may wait.
    ///
    /// - Returns: whether the work has ended.
    @discardableResult
    func wait() async -> Bool {
        for await _ in end {}
        return !Task.isCancelled
    }

    func cancel() { task.cancel() }

    /// The result, once it has ended.
    var result: Result<Void, any Error> { get async { await task.result } }
}
