import Synchronization

@testable import XMPPClient

/// A clock that stands still until a test moves it.
final class ManualClock: Sendable {
    private struct State {
        var now = ContinuousClock.now
        var sleepers: [(until: ContinuousClock.Instant, latch: Latch)] = []
    }

    private let state = Mutex(State())

    var clock: SessionClock {
        SessionClock(
            now: { [self] in state.withLock(\.now) },
            sleep: { [self] instant in
                let latch = Latch()
                let isPast = state.withLock { state in
                    if instant <= state.now { return true }
                    state.sleepers.append((instant, latch))
                    return false
                }
                if !isPast { await latch.wait() }
            })
    }

    /// Moves the clock on; whoever is due wakes up.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let now = state.now
            let due = state.sleepers.filter { $0.until <= now }
            state.sleepers.removeAll { $0.until <= now }
            return due
        }
        for sleeper in due { sleeper.latch.open() }
    }

    /// Moves the clock on in steps until the work is done, with a pause between them: tasks that have no turn for a moment shall not
    /// find that hours have passed.
    func run<Result: Sendable>(
        _ step: Duration = .seconds(1), _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let done = Latch()
        async let result = {
            defer { done.open() }
            return try await work()
        }()
        while !done.isOpen {
            advance(by: step)
            try await Task.sleep(for: .milliseconds(1))
        }
        return try await result
    }
}
