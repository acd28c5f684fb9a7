/// Combines many calls into few: runs its work after a call, then not again for a while.
///
/// A thousand contacts come online within a second after a login; the list is updated ten times, not a thousand. If the
/// work itself takes long, as in a room of twenty thousand people, it runs less often, so that the main thread stays
/// responsive.
@MainActor
package final class Coalescer {
    /// The work takes at most a tenth of the time.
    private static let rest = 9

    private let interval: Duration
    private let clock: any Clock<Duration>
    private let calls: AsyncStream<Void>
    private nonisolated let continuation: AsyncStream<Void>.Continuation

    package init(every interval: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.interval = interval
        self.clock = clock
        (calls, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package nonisolated func call() { continuation.yield() }

    /// Runs the work until the task is cancelled.
    package func run(_ body: @MainActor () async -> Void) async { await run(by: clock, body) }

    private func run<C: Clock>(by clock: C, _ body: @MainActor () async -> Void) async where C.Duration == Duration {
        for await _ in calls {
            let start = clock.now
            await body()
            let spent = start.duration(to: clock.now)
            try? await clock.sleep(for: max(interval, spent * Self.rest))
        }
    }
}
