public import XMPPAddress

extension Session {
    /// Observes the session from now on; see ``SessionEvents``.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of events to observe.
    ///   - limit: The number of events that may wait before reading from the socket pauses; by default that of the
    ///     configuration. Iterate to the end of what you need, and release the sequence then: one that is held and not read
    ///     stops the connection (``observersBehind``).
    ///   - file: With `line`, names the observer in ``observersBehind`` and in a log.
    public nonisolated func events(
        _ kinds: SessionEvent.Kinds = .all, limit: Int? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> SessionEvents {
        observers.add(kinds: kinds, limit: limit ?? configuration.eventLimit, origin: "\(file):\(line)")
    }

    /// Records an event for the next batch.
    func emit(_ event: SessionEvent) {
        events.append(event)
    }

    func emit(_ event: ConnectionEvent) {
        events.append(.connection(event))
    }

    /// Informs all observers, including ``SessionLog``, that messages of an archive were rejected and not stored.
    ///
    /// - Parameter reason: a short text that contains nothing of the messages.
    public func reportRefusal(of count: Int, in archive: JID, reason: String) {
        emit(.refused(count: count, archive: archive, reason: reason))
        flushEvents()
    }

    /// Passes the recorded events to all observers, as one batch.
    func flushEvents() {
        guard !events.isEmpty else { return }
        let batch = events
        events = []
        observers.append(batch)
    }

    /// The same, unless the data of one read is still being handled.
    func flushEventsOutsideOfReading() {
        if !connection.reader.isHandling { flushEvents() }
    }
}
