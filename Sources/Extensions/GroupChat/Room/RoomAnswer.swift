import Synchronization

/// The place where one task waits for how its wish ended; filled once.
final class RoomAnswer: Sendable {
    enum Wish: Sendable {
        case entrance, nickname, departure
    }

    private enum State {
        case open
        case waiting(CheckedContinuation<Result<Void, GroupChatError>, Never>)
        case filled(Result<Void, GroupChatError>)
    }

    let wish: Wish
    private let state = Mutex(State.open)

    init(_ wish: Wish) {
        self.wish = wish
    }

    /// The first result counts.
    func fill(_ result: Result<Void, GroupChatError>) {
        let waiter: CheckedContinuation<Result<Void, GroupChatError>, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .filled(result)
                return nil
            case .waiting(let waiter):
                state = .filled(result)
                return waiter
            case .filled: return nil
            }
        }
        waiter?.resume(returning: result)
    }

    /// Returns when the wish is granted; throws `cancelled` as soon as the task is.
    func wait() async throws(GroupChatError) {
        let result: Result<Void, GroupChatError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: Result<Void, GroupChatError>? = state.withLock { state in
                    switch state {
                    case .open:
                        state = .waiting(continuation)
                        return nil
                    case .filled(let result): return result
                    case .waiting: preconditionFailure("Two tasks wait for the same answer.")
                    }
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            fill(.failure(.cancelled))
        }
        try result.get()
    }
}
