// The part of the interface of swift-service-lifecycle that this library uses, written for its tests.
public protocol Service: Sendable {
    func run() async throws
}

public final class Shutdown: Sendable {
    @TaskLocal public static var current: Shutdown?
    private let stream = AsyncStream.makeStream(of: Never.self)

    public init() {}

    public func begin() { stream.continuation.finish() }

    fileprivate func wait() async { for await _ in stream.stream {} }
}

public func cancelWhenGracefulShutdown<Result: Sendable>(
    _ operation: @Sendable @escaping () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            await Shutdown.current?.wait()
            return nil
        }
        if let result = try await group.next() ?? nil { return result }
        group.cancelAll()
        while let next = try await group.next() { if let result = next { return result } }
        throw CancellationError()
    }
}

extension Task where Success == Never, Failure == Never {
    public static var isShuttingDownGracefully: Bool { Shutdown.current != nil }
}
