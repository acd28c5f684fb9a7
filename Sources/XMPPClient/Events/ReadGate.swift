import Synchronization
import Waiting

/// Decides whether the socket is read: not while an observer has more waiting than it may.
///
/// A task that waits for an answer or for room to send may be the very observer that is behind. While there is such a
/// task reading continues, otherwise both would wait for each other.
final class ReadGate: Sendable {
    private struct State {
        var behind = 0
        var waitingForPeer = 0
        var isForcedOpen = false
        var isHeld = false

        var isOpen: Bool { behind == 0 || waitingForPeer > 0 || isForcedOpen }
    }

    private let state = Mutex(State())
    private let opening = Signal()

    /// Whether a reader waits here.
    var isHeld: Bool { state.withLock(\.isHeld) }

    /// Whether the socket may be read.
    var isOpen: Bool { state.withLock(\.isOpen) }

    /// An observer has fallen behind.
    func observerFellBehind() {
        state.withLock { $0.behind += 1 }
    }

    /// An observer that was behind has caught up or gone.
    func observerCaughtUp() {
        change { $0.behind -= 1 }
    }

    /// A task begins to wait for something that the peer must do.
    func beginWaitingForPeer() {
        change { $0.waitingForPeer += 1 }
    }

    func endWaitingForPeer() {
        state.withLock { $0.waitingForPeer -= 1 }
    }

    /// Lets everything through from now on: the stream is closing.
    func forceOpen() {
        change { $0.isForcedOpen = true }
    }

    /// Puts the gate back in force, for a new connection.
    func reset() {
        state.withLock { $0.isForcedOpen = false }
    }

    /// Returns when the socket may be read, or when the task is cancelled. One reader at a time.
    nonisolated(nonsending) func wait() async {
        while hold(), !Task.isCancelled { await opening.wait() }
        state.withLock { $0.isHeld = false }
    }

    /// Whether the reader has to wait.
    private func hold() -> Bool {
        state.withLock { state in
            state.isHeld = !state.isOpen
            return state.isHeld
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let isOpen = state.withLock { state in
            body(&state)
            return state.isOpen
        }
        if isOpen { opening.send() }
    }
}
