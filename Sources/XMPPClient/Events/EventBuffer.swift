import Synchronization

/// What one observer has not yet taken: filled by the session, emptied a batch at a time by the observer.
final class EventBuffer: Sendable {
    private struct State {
        var events: [SessionEvent] = []
        var isBehind = false
        var isFinished = false
        var consumer: CheckedContinuation<[SessionEvent]?, Never>?
    }

    let kinds: SessionEvent.Kinds
    private let limit: Int
    private let gate: ReadGate
    private let state = Mutex(State())

    /// - Parameter limit: How many events may wait before the observer counts as behind.
    init(kinds: SessionEvent.Kinds, limit: Int, gate: ReadGate) {
        self.kinds = kinds
        self.limit = limit
        self.gate = gate
    }

    func append(_ batch: [SessionEvent]) {
        let wanted = kinds == .all ? batch : batch.filter { kinds.contains($0.kind) }
        guard !wanted.isEmpty else { return }
        let consumer: CheckedContinuation<[SessionEvent]?, Never>? = state.withLock { state in
            guard !state.isFinished else { return nil }
            if let consumer = state.consumer {
                state.consumer = nil
                return consumer
            }
            if state.events.isEmpty { state.events = wanted } else { state.events += wanted }
            if !state.isBehind, state.events.count > limit {
                state.isBehind = true
                gate.observerFellBehind()
            }
            return nil
        }
        consumer?.resume(returning: wanted)
    }

    /// No more events come; those that wait are still delivered.
    func finish() {
        let consumer: CheckedContinuation<[SessionEvent]?, Never>? = state.withLock { state in
            state.isFinished = true
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume(returning: nil)
    }

    /// Nobody takes events any more.
    func abandon() {
        finish()
        _ = state.withLock { take(from: &$0) }
    }

    /// What waits now, without waiting for more.
    func takeWaiting() -> [SessionEvent] { state.withLock { take(from: &$0) } ?? [] }

    /// The next batch; `nil` at the end or when the task is cancelled.
    func next() async -> [SessionEvent]? {
        if let events = state.withLock({ take(from: &$0) }) { return events }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: [SessionEvent]?? = state.withLock { state in
                    if let events = take(from: &state) { return .some(events) }
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    precondition(state.consumer == nil, "Two tasks iterate over the events of one observer.")
                    state.consumer = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.consumer = nil }
                return state.consumer
            }?.resume(returning: nil)
        }
    }

    /// The events that wait, or `nil` if none do. Tells the gate under the lock, so that its count follows the order of
    /// what happened here.
    private func take(from state: inout State) -> [SessionEvent]? {
        guard !state.events.isEmpty else { return nil }
        let events = state.events
        state.events = []
        if state.isBehind {
            state.isBehind = false
            gate.observerCaughtUp()
        }
        return events
    }
}
