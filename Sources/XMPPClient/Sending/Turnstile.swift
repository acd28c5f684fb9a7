import Synchronization

/// Lets one task through at a time, in the order of arrival.
final class Turnstile: Sendable {
    private struct State {
        var isTaken = false
        var nextNumber: UInt64 = 0
        var order: [UInt64] = []
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Mutex(State())

    var isFree: Bool { state.withLock { !$0.isTaken } }

    /// Returns when it is the task's turn; false if the task was cancelled before. After true ``leave()`` must be
    /// called.
    func enter() async -> Bool {
        let number: UInt64? = state.withLock { state in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            state.nextNumber += 1
            return state.nextNumber
        }
        guard let number else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.order.append(number)
                    state.waiting[number] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { state in
                state.order.removeAll { $0 == number }
                return state.waiting.removeValue(forKey: number)
            }?.resume(returning: false)
        }
    }

    func leave() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard !state.order.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeValue(forKey: state.order.removeFirst())
        }
        next?.resume(returning: true)
    }
}
