import Synchronization
import Testing
import Waiting

@testable import TransportLayer

@Suite("Timers of an event loop", .timeLimit(.minutes(5)))
struct EventLoopTimerTests {
    /// Gives a loop new work in each turn, until it is told to end.
    private final class Work: Sendable {
        private let isOver = Atomic(false)

        func start(on loop: EventLoop) {
            loop.execute { if !self.isOver.load(ordering: .relaxed) { self.start(on: loop) } }
        }

        func end() { isOver.store(true, ordering: .relaxed) }
    }

    /// Which timers have fired, in their order.
    private final class Record: Sendable {
        private let numbers = Mutex<[Int]>([])
        let isComplete = Gate()

        func add(_ number: Int, isLast: Bool) {
            numbers.withLock { $0.append(number) }
            if isLast { isComplete.open() }
        }

        var all: [Int] { numbers.withLock { $0 } }
    }

    @Test("They fire in the order of their deadlines, also while the loop always has work", arguments: [false, true])
    func order(isBusy: Bool) async {
        let (loop, work, record) = (EventLoop(), Work(), Record())
        if isBusy { work.start(on: loop) }
        loop.execute {
            for number in [3, 1, 2] {
                _ = loop.state.schedule(after: .milliseconds(10 * number)) { record.add(number, isLast: number == 3) }
            }
        }
        await record.isComplete.wait()
        work.end()
        #expect(record.all == [1, 2, 3])
    }

    @Test("One that is added by another one, or after others have fired or were cancelled, fires")
    func later() async {
        let (loop, record) = (EventLoop(), Record())
        loop.execute {
            let cancelled = loop.state.schedule(after: .milliseconds(5)) { record.add(0, isLast: false) }
            _ = loop.state.schedule(after: .seconds(3600)) { record.add(0, isLast: true) }
            _ = loop.state.schedule(after: .milliseconds(10)) {
                record.add(1, isLast: false)
                _ = loop.state.schedule(at: .now.advanced(by: .milliseconds(-5))) {
                    record.add(2, isLast: false)
                    _ = loop.state.schedule(after: .milliseconds(10)) { record.add(3, isLast: true) }
                }
            }
            loop.state.cancelTimer(cancelled)
        }
        await record.isComplete.wait()
        #expect(record.all == [1, 2, 3])
    }

    @Test("Waiting on a loop ends at the instant, and at once when the task is cancelled; then no timer is left")
    func sleeping() async throws {
        let loop = EventLoop()
        let instant = ContinuousInstant.now + .milliseconds(20)
        await loop.sleep(until: instant)
        #expect(ContinuousInstant.now >= instant)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await loop.sleep(for: .seconds(3600)) } }
            while await pendingTimers(of: loop) < 100 { await Task.yield() }
            group.cancelAll()
        }
        #expect(await pendingTimers(of: loop) == 0)
        // One that is cancelled before it begins.
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            await loop.sleep(for: .seconds(3600))
        }
        late.cancel()
        await late.value
        #expect(await pendingTimers(of: loop) == 0)
    }

    /// The number of timers after what the loop was told to do before.
    private func pendingTimers(of loop: EventLoop) async -> Int {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: loop.state.timerCount) }
        }
    }

    @Test("ContinuousInstant.now runs as ContinuousClock does, and Task.sleep(until:) returns at an instant or throws")
    func instants() async throws {
        let (first, clock) = (ContinuousInstant.now, ContinuousClock.now)
        let instant = first + .milliseconds(20)
        try await Task.sleep(until: instant)
        let (between, now) = (clock.duration(to: .now), ContinuousInstant.now)
        #expect(now >= instant)
        #expect(now - first >= between && first.duration(to: now) >= .milliseconds(20))
        // One that is past.
        try await Task.sleep(until: first)
        let waiting = Task { try await Task.sleep(until: .now + .seconds(3600)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
