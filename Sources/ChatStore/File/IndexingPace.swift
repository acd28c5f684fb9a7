internal import Synchronization

/// When messages are put into the search index: while nobody else writes, and many at a time.
///
/// Each transaction that indexes leaves a segment behind that is merged with others again and again, so that a message that is
/// indexed alone costs ten times what it costs among a thousand; and what is not indexed yet is found by reading it.
final class IndexingPace: Sendable {
    /// So long nobody has written before a few messages are indexed.
    private static let rest = Duration.milliseconds(250)
    /// So long it is put off where many wait and somebody writes just now.
    private static let moment = Duration.milliseconds(20)
    /// As many messages as a search reads beside the index in some milliseconds; more do not wait for a rest, which does not
    /// come during a long synchronisation, but for a moment in which nobody writes.
    private static let many = 2000

    private struct State {
        var isRunning = false
        var writers = 0
        var lastWrite: ContinuousClock.Instant?
        /// What has come since the index was last complete; more than that can wait from an earlier run.
        var waiting = 0
    }

    private let state = Mutex(State())

    func writerCame() { state.withLock { $0.writers += 1 } }

    func writerWent(leaving count: Int) {
        state.withLock { state in
            state.writers -= 1
            state.waiting += count
            state.lastWrite = .now
        }
    }

    var hasWriter: Bool { state.withLock { $0.writers > 0 } }

    /// - Returns: whether it was not running.
    func start() -> Bool {
        state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    func stop() { state.withLock { $0.isRunning = false } }

    /// How many have come, to be given to ``complete(_:)``.
    var waiting: Int { state.withLock { $0.waiting } }

    /// The index has everything that had come when ``waiting`` was asked for.
    ///
    /// - Returns: whether nothing came since; then it is not running any more.
    func complete(_ count: Int) -> Bool {
        state.withLock { state in
            state.waiting -= count
            if state.waiting == 0 { state.isRunning = false }
            return !state.isRunning
        }
    }

    /// How long to wait and ask again; `nil`: now is the time.
    func pause() -> Duration? {
        state.withLock { state in
            if state.writers > 0 { return Self.moment }
            guard let last = state.lastWrite, state.waiting < Self.many else { return nil }
            let rest = ContinuousClock.now - last
            return rest >= Self.rest ? nil : Self.rest - rest
        }
    }
}
