import Synchronization
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// Stanzas that were sent from any thread and that the session has not taken yet, as bytes and in one order.
///
/// A sender writes its stanza here and does not wait for the session, which takes all of them at the end of a turn of its event
/// loop. So many sends between two turns are one change of threads and one write. The intake is open only while the stream
/// takes stanzas; otherwise the sender has to ask the session.
final class SendIntake: Sendable {
    /// What was sent since the session took the last batch.
    struct Batch {
        var bytes: [UInt8]
        var tokens: [SendToken]
        /// The number of bytes of each stanza.
        var sizes: [Int]
        /// The receivers of texts.
        var receivers: [JID]
    }

    /// What happened to a stanza that was passed to the intake.
    enum Acceptance {
        /// It has its place in the order. Whether the session must be woken: it was not woken for the stanzas before.
        case accepted(SendToken, wakes: Bool)
        /// The session has to decide.
        case refused
    }

    /// What was sent and not taken.
    private struct Content {
        var writer = ClientStream.makeWriter()
        var tokens: [SendToken] = []
        var sizes: [Int] = []
        var receivers: [JID] = []
        var lastReceiver: JID?

        init() {}

        /// With room for what gathers during a burst.
        init(reserving byteCount: Int) {
            writer.reserveCapacity(byteCount + Outbox.burst)
            tokens.reserveCapacity(byteCount / SendIntake.usualSize)
            sizes.reserveCapacity(byteCount / SendIntake.usualSize)
        }

        /// In place, because bytes that somebody else has, too, would be copied.
        mutating func takeBatch() -> Batch {
            Batch(
                bytes: writer.takeBytes(), tokens: exchange(&tokens, with: []), sizes: exchange(&sizes, with: []),
                receivers: exchange(&receivers, with: []))
        }
    }

    private struct State {
        var content = Content()
        /// The size of the largest stanza that the server accepts; 0 while the stream takes none.
        var limit = 0
        /// The number of bytes for which the session is woken.
        var wakesAt = 1
        var isWoken = false
        /// The tokens of written stanzas that were not looked at, and those of them that were still referenced.
        var retired: [[SendToken]] = []
        var referenced: [SendToken] = []

        mutating func accept(_ stanza: AnyStanza, _ token: SendToken) -> Bool {
            let start = content.writer.byteCount
            guard limit > 0, start < Outbox.limit else { return false }
            content.writer.write(stanza)
            let byteCount = content.writer.byteCount - start
            guard byteCount <= limit else {
                content.writer.removeBytes(after: start)
                return false
            }
            content.tokens.append(token)
            content.sizes.append(byteCount)
            // Most messages go where the one before went.
            if stanza.to != content.lastReceiver, let receiver = ContactedAddresses.receiver(ofText: stanza) {
                content.lastReceiver = receiver
                content.receivers.append(receiver)
            }
            return true
        }

        /// Whether there is something to take; the session is woken for what comes now.
        mutating func hasContent() -> Bool {
            isWoken = false
            return !content.tokens.isEmpty
        }
    }

    /// The size of a chat message in bytes.
    private static let usualSize = 256

    private let state = Mutex(State())

    /// Writes a stanza; of the kinds that change nothing but the stream.
    func accept(_ stanza: AnyStanza) -> Acceptance {
        if case .presence = stanza { return .refused }
        let token = SendToken(stanza: stanza)
        var retired: [SendToken]?
        let acceptance: Acceptance = state.withLock { state in
            guard state.accept(stanza, token) else { return .refused }
            let wakes = !state.isWoken && state.content.writer.byteCount >= state.wakesAt
            if wakes { state.isWoken = true }
            retired = state.retired.popLast()
            return .accepted(token, wakes: wakes)
        }
        if retired != nil { settle(&retired) }
        return acceptance
    }

    /// Tokens of stanzas that were written without a number. The next sender looks at them.
    func retire(_ tokens: inout [[SendToken]]) {
        state.withLock { state in
            state.retired += tokens
            tokens = []
        }
    }

    /// Removes the tokens that no sender has looked at.
    func takeRetired() -> [[SendToken]] {
        state.withLock { state in
            defer { state.retired = [] }
            return state.retired
        }
    }

    /// Removes the tokens that senders have looked at and that are still referenced.
    func takeReferenced() -> [SendToken] {
        state.withLock { state in
            defer { state.referenced = [] }
            return state.referenced
        }
    }

    private func settle(_ retired: inout [SendToken]?) {
        // Moved, because tokens in an array that is shared would be referenced twice.
        guard var tokens = retired.take() else { return }
        var referenced: [SendToken] = []
        for index in tokens.indices where !isKnownUniquelyReferenced(&tokens[index]) {
            tokens[index].writtenUnmanaged()
            referenced.append(tokens[index])
        }
        if !referenced.isEmpty { state.withLock { $0.referenced += referenced } }
    }

    /// Opens the intake for stanzas of up to so many bytes, or closes it with 0.
    func open(limit: Int) { state.withLock { $0.limit = limit } }

    /// Removes what was sent; `nil` if there is nothing.
    ///
    /// - Parameter isBurst: Whether more is expected, as ``gather(_:)`` was told.
    func take(isBurst: Bool) -> Batch? {
        guard state.withLock({ $0.hasContent() }) else { return nil }
        // No sender waits while memory is made ready.
        var content = isBurst ? Content(reserving: Outbox.gathered) : Content()
        state.withLock { state in
            state.isWoken = false
            swap(&state.content, &content)
        }
        return content.takeBatch()
    }

    /// Sets for how many bytes the session is woken: one by default, more while a burst gathers.
    func gather(_ byteCount: Int) {
        var content = byteCount > 1 ? Content(reserving: byteCount) : Content()
        state.withLock { state in
            state.wakesAt = byteCount
            if state.content.tokens.isEmpty { swap(&state.content, &content) }
        }
    }
}
