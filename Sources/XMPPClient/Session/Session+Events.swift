public import XMPPAddress
import XMPPStanzas

extension Session {
    /// Notes an event for the next batch.
    func emit(_ event: SessionEvent) {
        events.append(event)
    }

    func emit(_ event: ConnectionEvent) {
        events.append(.connection(event))
    }

    /// Tells all observers, among them ``SessionLog``, that messages of an archive were not believed and not stored.
    ///
    /// - Parameter reason: a few words, with nothing of the messages.
    public func reportRefusal(of count: Int, in archive: JID, reason: String) {
        emit(.refused(count: count, archive: archive, reason: reason))
        flushEvents()
    }

    /// Hands the events noted so far to all observers, as one batch.
    func flushEvents() {
        guard !events.isEmpty else { return }
        let batch = events
        events = []
        observers.append(batch)
    }

    /// Runs work as a task of the session, cancelled at its end.
    nonisolated func spawn(_ job: @escaping @Sendable () async -> Void) {
        jobs.continuation.yield(job)
    }
}
