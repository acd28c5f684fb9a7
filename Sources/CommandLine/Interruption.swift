internal import Dispatch
internal import Glibc
internal import Synchronization

/// Ctrl-C and the signals that end a program, turned into the cancellation of a task, so that the server hears a goodbye.
enum Interruption {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// A terminal that closes sends its signal twice, through the shell and by itself; only later ones are impatience.
    private static let patience = Duration.seconds(1)

    /// Runs `body` as a task that the first signal cancels; a later one ends the program at once.
    static func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
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
                    return .now - instant > patience
                }
                if isImpatient { _exit(128 + number) }
                task.cancel()
            }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            for number in signals { signal(number, SIG_DFL) }
        }
        try await task.value
    }
}
