package import ChatStore
import Foundation
import Synchronization

/// A clock that goes on only when a test says so.
package final class ManualClock: Clock, Sendable {
    package struct Instant: InstantProtocol {
        package var offset: Duration
        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .zero }
    package var messageTime: MessageTime {
        ModelFixture.time(0).advanced(by: Int64(now.offset / .milliseconds(1)))
    }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Fate { case sleep, wake, cancel }
                let fate: Fate = state.withLock { state in
                    if state.cancelled.contains(number) || Task.isCancelled { return .cancel }
                    if deadline <= state.now { return .wake }
                    state.sleepers[number] = (deadline, continuation)
                    return .sleep
                }
                switch fate {
                case .sleep: break
                case .wake: continuation.resume()
                case .cancel: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// How many wait for it to go on.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// How many have gone to sleep since the beginning, whether or not they still do.
    package var sleepCount: Int { state.withLock { $0.count } }

    package func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until so many have gone to sleep since the beginning.
    package func sleeps(_ count: Int) async { await eventually { self.sleepCount >= count } }
}

/// Looks until something is true, for three minutes at most, as ``Person`` does: a slow machine runs other tests beside
/// this one.
///
/// - Returns: whether it was true. What can be true for a moment only is expected of this result, not looked at again.
@discardableResult
package func eventually(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async -> Bool
) async -> Bool {
    let end = ContinuousClock.now + .seconds(180)
    while await !condition() {
        guard ContinuousClock.now < end, !Task.isCancelled else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// The time of this machine, as the store counts it.
package let now: @Sendable () -> MessageTime = {
    MessageTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
}
