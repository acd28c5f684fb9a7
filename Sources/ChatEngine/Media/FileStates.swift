internal import ChatStore
internal import Synchronization

/// What happens to files of messages at the moment, in memory only: a change is not stored, and only reaches the observers of
/// that file.
final class FileStates<State: Sendable & Hashable>: Sendable {
    private struct Key: Hashable {
        let message: MessageID
        let index: Int
    }

    private struct Content {
        var states: [Key: State] = [:]
        var observers: [Key: [Int: AsyncStream<State?>.Continuation]] = [:]
        var count = 0
    }

    private let content = Mutex(Content())

    /// The state of a file; `nil` if nothing happens to it.
    func state(of message: MessageID, at index: Int) -> State? {
        content.withLock { $0.states[Key(message: message, index: index)] }
    }

    /// The current state and its changes until the task is cancelled; a slow observer gets the latest.
    func values(of message: MessageID, at index: Int) -> AsyncStream<State?> {
        let key = Key(message: message, index: index)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = content.withLock { content in
                content.count += 1
                content.observers[key, default: [:]][content.count] = continuation
                continuation.yield(content.states[key])
                return content.count
            }
            continuation.onTermination = { [weak self] _ in
                self?.content.withLock { content in
                    content.observers[key]?[number] = nil
                    if content.observers[key]?.isEmpty == true { content.observers[key] = nil }
                }
            }
        }
    }

    /// - Parameter state: `nil` when it has ended, with any result.
    func show(_ state: State?, of message: MessageID, at index: Int) {
        let key = Key(message: message, index: index)
        content.withLock { content in
            guard content.states[key] != state else { return }
            content.states[key] = state
            for observer in (content.observers[key] ?? [:]).values { observer.yield(state) }
        }
    }
}
