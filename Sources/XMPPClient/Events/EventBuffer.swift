import Waiting

/// What one observer has not yet taken. While more waits than may, the observer counts as behind and the socket is
/// not read.
final class EventBuffer: Sendable {
    private struct Content: MailboxContent, Sendable {
        var events: [SessionEvent] = []
        var isBehind = false

        var isEmpty: Bool { events.isEmpty }
    }

    let kinds: SessionEvent.Kinds
    private let limit: Int
    private let gate: ReadGate
    private let mailbox = Mailbox<Content>()

    /// - Parameter limit: How many events may wait before the observer counts as behind.
    init(kinds: SessionEvent.Kinds, limit: Int, gate: ReadGate) {
        self.kinds = kinds
        self.limit = limit
        self.gate = gate
    }

    func append(_ batch: [SessionEvent]) {
        let wanted = kinds == .all ? batch : batch.filter { kinds.contains($0.kind) }
        guard !wanted.isEmpty else { return }
        mailbox.put { content in
            if content.events.isEmpty { content.events = wanted } else { content.events += wanted }
            if !content.isBehind, content.events.count > limit {
                content.isBehind = true
                // Under the lock, so that the gate hears of it before it hears that the observer has caught up.
                gate.observerFellBehind()
            }
        }
    }

    /// No more events come; those that wait are still delivered.
    func finish() { mailbox.finish() }

    /// The consumer is gone: drops the events.
    func abandon() {
        finish()
        _ = takeWaiting()
    }

    /// What waits now, without waiting for more.
    func takeWaiting() -> [SessionEvent] { taken(mailbox.takeWaiting()) ?? [] }

    /// The next batch; `nil` at the end or when the task is cancelled.
    func next() async -> [SessionEvent]? { taken(await mailbox.next()) }

    private func taken(_ content: Content?) -> [SessionEvent]? {
        if content?.isBehind == true { gate.observerCaughtUp() }
        return content?.events
    }
}
