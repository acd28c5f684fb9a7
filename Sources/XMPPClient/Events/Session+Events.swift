import Waiting
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
        // A property that is changed by a call is checked for overlapping accesses each time it is used: so the list is not in the
        // property meanwhile.
        var all = exchange(&events, with: [])
        all.append(event)
        events = all
    }

    func emit(_ event: ConnectionEvent) { emit(.connection(event)) }

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
        observers.append(exchange(&events, with: []))
    }

    /// The same, unless the data of one read is still being handled.
    func flushEventsOutsideOfReading() {
        if !connection.reader.isHandling { flushEvents() }
    }
}

extension Session {
    /// How long the socket may be left unread before it is reported. A slow observer catches up in less.
    static let pauseBeforeReport = Duration.seconds(10)

    /// The observers that have more events waiting than their limit, by the place in the program where they began to
    /// observe: `Bot/main.swift:42`. While there are any, the socket is not read, so that nothing fills memory.
    public nonisolated var observersBehind: [String] { observers.behind }

    /// Waits until the socket may be read, and reports a long wait: usually an observation is held that nothing reads.
    func waitForObservers() async {
        guard !observers.gate.isOpen else { return }
        let due = clock.now().advanced(by: Self.pauseBeforeReport)
        await withTaskGroup(of: Void.self) { [observers, clock] first in
            first.addTask { await observers.gate.wait() }
            first.addTask { await clock.sleep(due) }
            await first.next()
            first.cancelAll()
        }
        guard !observers.gate.isOpen, !Task.isCancelled else { return }
        emit(.readingPaused(by: observers.behind))
        flushEvents()
        await observers.gate.wait()
        guard !Task.isCancelled else { return }
        emit(.readingResumed)
        flushEvents()
    }
}
