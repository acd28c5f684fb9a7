internal import Synchronization

/// Decides when messages are added to the search index: while nothing else is written, and many at a time.
///
/// Each indexing transaction adds a segment that is merged with others several times, so a message that is indexed
/// alone costs ten times as much as one among a thousand. A message that is not indexed yet is found by scanning.
final class IndexingPace: Sendable {
    /// A few messages are indexed once nothing was written for this time.
    private static let quietPeriod = Duration.milliseconds(250)
    /// When many messages wait, the delay after which indexing is tried again while a write is in progress.
    private static let retryInterval = Duration.milliseconds(20)
    /// With more unindexed messages than this, indexing does not wait for a quiet period, which does not occur during a
    /// long synchronisation, but only for the end of a write. A search scans this many within some milliseconds.
    private static let backlogLimit = 2000

    private struct State {
        var isRunning = false
        var writers = 0
        var lastWrite: ContinuousClock.Instant?
        /// Messages that were added since the index was last complete; more can be waiting from an earlier run.
        var waiting = 0
    }

    private let state = Mutex(State())

    func writeBegan() { state.withLock { $0.writers += 1 } }

    func writeEnded(leaving count: Int) {
        state.withLock { state in
            state.writers -= 1
            state.waiting += count
            state.lastWrite = .now
        }
    }

    var hasWriter: Bool { state.withLock { $0.writers > 0 } }

    /// - Returns: `true` if indexing was not running.
    func start() -> Bool {
        state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    func stop() { state.withLock { $0.isRunning = false } }

    /// The number of added messages, to be passed to ``complete(_:)``.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Records that the index contains everything that was added when ``waiting`` was read.
    ///
    /// - Returns: `true` if nothing was added since; indexing then ends.
    func complete(_ count: Int) -> Bool {
        state.withLock { state in
            state.waiting -= count
            if state.waiting == 0 { state.isRunning = false }
            return !state.isRunning
        }
    }

    /// How long to wait before asking again; `nil` if indexing can start now.
    func delay() -> Duration? {
        state.withLock { state in
            if state.writers > 0 { return Self.retryInterval }
            guard let last = state.lastWrite, state.waiting < Self.backlogLimit else { return nil }
            let rest = ContinuousClock.now - last
            return rest >= Self.quietPeriod ? nil : Self.quietPeriod - rest
        }
    }
}
