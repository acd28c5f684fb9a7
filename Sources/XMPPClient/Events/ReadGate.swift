import Synchronization

/// Decides whether the socket is read: not while an observer has more waiting than it may.
///
/// A task that waits for an answer or for room to send may be the very observer that is behind. While there is such a
/// task reading goes on, otherwise both would wait for each other.
final class ReadGate: Sendable {
    private struct State {
        var behind = 0
        var waitingForPeer = 0
        var isForcedOpen = false
        var reader: CheckedContinuation<Void, Never>?

        var isOpen: Bool { behind == 0 || waitingForPeer > 0 || isForcedOpen }
    }

    private let state = Mutex(State())

    /// Whether a reader waits here.
    var isHeld: Bool { state.withLock { $0.reader != nil } }

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
    func wait() async {
        guard !state.withLock({ $0.isOpen }) else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    guard !state.isOpen, !Task.isCancelled else { return true }
                    precondition(state.reader == nil, "Two tasks read from the same stream.")
                    state.reader = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }?.resume()
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let reader: CheckedContinuation<Void, Never>? = state.withLock { state in
            body(&state)
            guard state.isOpen else { return nil }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }
}
