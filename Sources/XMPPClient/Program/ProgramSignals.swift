import Dispatch
import Foundation
import Synchronization

/// Turns the signals that end a program into the cancellation of a task, so that the session is closed properly.
package enum ProgramSignals {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private static let received = Mutex<Int32?>(nil)

    /// The first signal; `nil` before it.
    package static var first: Int32? { received.withLock(\.self) }

    /// A terminal that closes sends its signal twice, through the shell and itself; only a later signal is a repetition
    /// by the user.
    private static let repeatInterval = Duration.seconds(1)

    /// Runs `body` as a task that the first signal cancels; a later one ends the program at once.
    ///
    /// - Parameter whenReceived: called with the first signal before the task is cancelled.
    package static func run<Result: Sendable>(
        whenReceived: @escaping @Sendable (Int32) -> Void = { _ in },
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await body() }
        let first = Mutex<ContinuousClock.Instant?>(nil)
        let sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isImpatient = first.withLock { first in
                    guard let instant = first else {
                        first = .now
                        return false
                    }
                    return .now - instant > repeatInterval
                }
                if isImpatient { _exit(128 + number) }
                let isFirst = received.withLock { received in
                    defer { received = received ?? number }
                    return received == nil
                }
                if isFirst { whenReceived(number) }
                task.cancel()
            }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            for number in signals { signal(number, SIG_DFL) }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
