import XMPPClient
import XMPPStanzas

/// The events of a session one by one. Events of a batch after the one that was searched for are stored for the next
/// search.
final class EventInbox {
    private var iterator: SessionEvents.AsyncIterator
    private var waiting: ArraySlice<SessionEvent> = []

    init(_ events: SessionEvents) { iterator = events.makeAsyncIterator() }

    /// Reads events until the closure returns a value; `nil` at the end of the session.
    nonisolated(nonsending) func first<Found>(_ find: (SessionEvent) -> Found?) async -> Found? {
        while true {
            while let event = waiting.popFirst() {
                if let found = find(event) { return found }
            }
            guard let batch = await iterator.next(isolation: #isolation) else { return nil }
            waiting = batch[...]
        }
    }

    /// The next message with a body.
    nonisolated(nonsending) func body() async -> String? {
        await first { if case .message(let message) = $0 { message.body } else { nil } }
    }
}
