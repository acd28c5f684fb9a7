import Waiting

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
