import Synchronization
public import Waiting
public import XMPPClient

/// A clock for sessions that only a test advances: timeouts, keep-alive and backoff take no real time.
///
///     let clock = VirtualClock()
///     clock.drive(&configuration)
///     clock.advance(by: .seconds(30))
public final class VirtualClock: Sendable {
    private struct State {
        var now = ContinuousInstant(sinceStart: .zero)
        var sleepers: [(until: ContinuousInstant, wake: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Makes sessions with this configuration use this clock.
    public func drive(_ configuration: inout ClientConfiguration) { configuration.clock = clock }

    /// The current time of this clock.
    public var now: ContinuousInstant { state.withLock(\.now) }

    package var clock: SessionClock {
        SessionClock(
            now: { [self] in state.withLock(\.now) },
            sleep: { [self] instant in
                let gate = Gate()
                call(at: instant) { gate.open() }
                await gate.wait()
            },
            schedule: { [self] instant, wake in call(at: instant, wake) })
    }

    /// Calls the closure at the instant, at once if it is past.
    private func call(at instant: ContinuousInstant, _ wake: @escaping @Sendable () -> Void) {
        let isPast = state.withLock { state in
            if instant <= state.now { return true }
            state.sleepers.append((instant, wake))
            return false
        }
        if isPast { wake() }
    }

    /// Advances the clock and wakes everything whose time has come.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let now = state.now
            let due = state.sleepers.filter { $0.until <= now }
            state.sleepers.removeAll { $0.until <= now }
            return due
        }
        for sleeper in due { sleeper.wake() }
    }

    /// Advances the clock in steps until the work is done, with a real pause of a millisecond between them, so that
    /// waiting tasks can run before hours have passed.
    @discardableResult
    public func run<Result: Sendable>(
        _ step: Duration = .seconds(1), _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let done = Gate()
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
