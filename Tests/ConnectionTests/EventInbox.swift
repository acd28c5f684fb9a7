import XMPPClient
import XMPPStanzas

/// The events of a session one by one. What came in one batch with an event that was looked for is kept for the next look.
final class EventInbox {
    private var iterator: SessionEvents.AsyncIterator
    private var waiting: ArraySlice<SessionEvent> = []

    init(_ events: SessionEvents) { iterator = events.makeAsyncIterator() }

    /// Takes events until the closure has found what it looks for; nil at the end of the session.
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
