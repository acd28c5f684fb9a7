/// Joins many calls into few: after a call it works once, then not again for a while.
///
/// A thousand contacts come online within a second after a login; the list is shown anew ten times, not a thousand. Where the work itself
/// takes long, as in a room of twenty thousand people, it is done more rarely: what a person does is in between.
@MainActor
final class Coalescer {
    /// The work takes a tenth of the time at most.
    private static let rest = 9

    private let interval: Duration
    private let clock: any Clock<Duration>
    private let calls: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(every interval: Duration, clock: any Clock<Duration>) {
        self.interval = interval
        self.clock = clock
        (calls, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func call() { continuation.yield() }

    /// Works until the task is cancelled.
    func run(_ body: @MainActor () async -> Void) async { await run(by: clock, body) }

    private func run<C: Clock>(by clock: C, _ body: @MainActor () async -> Void) async where C.Duration == Duration {
        for await _ in calls {
            let start = clock.now
            await body()
            let spent = start.duration(to: clock.now)
            try? await clock.sleep(for: max(interval, spent * Self.rest))
        }
    }
}
