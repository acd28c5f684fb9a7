import XMPPStanzas

extension Session {
    /// Notes an event for the next batch.
    func emit(_ event: SessionEvent) {
        events.append(event)
    }

    func emit(_ event: ConnectionEvent) {
        events.append(.connection(event))
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
