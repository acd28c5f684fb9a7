/// Joins many calls into few: after a call it works once, then not again for a while.
///
/// A thousand contacts come online within a second after a login; the list is shown anew ten times, not a thousand.
@MainActor
package final class Coalescer {
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let calls: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init(every interval: Duration, clock: any Clock<Duration>) {
        self.interval = interval
        self.clock = clock
        (calls, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func call() { continuation.yield() }

    /// Works until the task is cancelled.
    package func run(_ body: @MainActor () async -> Void) async {
        for await _ in calls {
            await body()
            try? await clock.sleep(for: interval)
        }
    }
}
