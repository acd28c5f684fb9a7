import Synchronization

/// What can wait in a ``Mailbox``: a batch that begins empty.
package protocol MailboxContent {
    init()
    var isEmpty: Bool { get }
}

extension Array: MailboxContent {}

/// What one observer has not yet taken: filled from any thread, emptied a batch at a time by one task.
package final class Mailbox<Content: MailboxContent & Sendable>: Sendable {
    private struct State {
        var content = Content()
        var isFinished = false
        var consumer: CheckedContinuation<Content?, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Changes what waits; nothing is added after the end.
    package func put(_ change: (inout Content) -> Void) {
        let (consumer, content): (CheckedContinuation<Content?, Never>?, Content?) = state.withLock { state in
            guard !state.isFinished else { return (nil, nil) }
            change(&state.content)
            guard let consumer = state.consumer, let content = Self.take(from: &state) else { return (nil, nil) }
            state.consumer = nil
            return (consumer, content)
        }
        consumer?.resume(returning: content)
    }

    /// Nothing more comes; what waits is still taken.
    package func finish() {
        let consumer: CheckedContinuation<Content?, Never>? = state.withLock { state in
            state.isFinished = true
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume(returning: nil)
    }

    /// What waits now, or `nil` if nothing does.
    package func takeWaiting() -> Content? { state.withLock { Self.take(from: &$0) } }

    /// The next batch, never empty; `nil` at the end or when the task is cancelled.
    ///
    /// Of two tasks that ask, the earlier one gets `nil`.
    package nonisolated(nonsending) func next() async -> Content? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (ready, displaced): (Content??, CheckedContinuation<Content?, Never>?) = state.withLock { state in
                    if let content = Self.take(from: &state) { return (.some(content), nil) }
                    if state.isFinished || Task.isCancelled { return (.some(nil), nil) }
                    defer { state.consumer = continuation }
                    return (nil, state.consumer)
                }
                displaced?.resume(returning: nil)
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.consumer = nil }
                return state.consumer
            }?.resume(returning: nil)
        }
    }

    private static func take(from state: inout State) -> Content? {
        guard !state.content.isEmpty else { return nil }
        defer { state.content = Content() }
        return state.content
    }
}
