import Synchronization
import Testing
import TransportLayer
import Waiting

@testable import XMPPClient

@Suite("The timer of the deadlines of a session")
struct DeadlineTimerTests {
    /// A clock whose timers ring when the test says so, also those that were replaced.
    private final class HandClock: Sendable {
        let calls = Mutex<[@Sendable () -> Void]>([])

        var clock: SessionClock {
            SessionClock(
                now: { .now }, sleep: { _ in },
                schedule: { _, call in self.calls.withLock { $0.append(call) } })
        }
    }

    private let loop = EventLoop.shared
    private let start = ContinuousInstant(sinceStart: .zero)

    @Test("only an earlier deadline replaces the one that is set")
    func earlier() {
        let clock = HandClock()
        var timer = DeadlineTimer()
        #expect(!timer.isDue(before: start), "it does not run yet")
        timer.start()
        #expect(timer.isDue(before: start + .seconds(9)))
        timer.set(to: start + .seconds(9), of: clock.clock, on: loop) { _ in }
        #expect(!timer.isDue(before: start + .seconds(9)) && !timer.isDue(before: start + .seconds(10)))
        #expect(timer.isDue(before: start + .seconds(8)))
        timer.stop(on: loop)
        #expect(!timer.isDue(before: start))
    }

    @Test("a setting that was replaced or stopped is ignored, and each counts once")
    func replaced() async {
        let clock = HandClock()
        let (rung, report) = AsyncStream.makeStream(of: UInt64.self)
        var numbers = rung.makeAsyncIterator()
        var timer = DeadlineTimer()
        timer.start()
        for seconds in [9, 8] {
            timer.set(to: start + .seconds(seconds), of: clock.clock, on: loop) { report.yield($0) }
        }
        for call in clock.calls.withLock({ $0 }) { call() }
        let replaced = timer.passed(await numbers.next() ?? 0)
        #expect(!replaced)
        let number = await numbers.next() ?? 0
        let (first, second) = (timer.passed(number), timer.passed(number))
        #expect(first && !second)
        #expect(timer.isDue(before: start + .seconds(20)), "no deadline is set after it has passed")
        timer.set(to: start, of: clock.clock, on: loop) { report.yield($0) }
        timer.stop(on: loop)
        for call in clock.calls.withLock({ $0.suffix(1) }) { call() }
        let stopped = timer.passed(await numbers.next() ?? 0)
        #expect(!stopped)
    }
}
