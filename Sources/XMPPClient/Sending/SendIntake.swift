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

    private struct State {
        var writer = ClientStream.makeWriter()
        var tokens: [SendToken] = []
        var sizes: [Int] = []
        var receivers: [JID] = []
        var lastReceiver: JID?
        /// The size of the largest stanza that the server accepts; 0 while the stream takes none.
        var limit = 0
        /// The number of bytes for which the session is woken.
        var wakesAt = 1
        var isWoken = false
        /// The tokens of written stanzas that were not looked at, and those of them that were still referenced.
        var retired: [[SendToken]] = []
        var referenced: [SendToken] = []

        mutating func accept(_ stanza: AnyStanza, _ token: SendToken) -> Bool {
            guard limit > 0, writer.byteCount < Outbox.limit else { return false }
            let start = writer.byteCount
            writer.write(stanza)
            let byteCount = writer.byteCount - start
            guard byteCount <= limit else {
                writer.removeBytes(after: start)
                return false
            }
            tokens.append(token)
            sizes.append(byteCount)
            // Most messages go where the one before went.
            if stanza.to != lastReceiver, let receiver = ContactedAddresses.receiver(ofText: stanza) {
                lastReceiver = receiver
                receivers.append(receiver)
            }
            return true
        }

        mutating func take() -> Batch {
            defer { (tokens, sizes, receivers, lastReceiver) = ([], [], [], nil) }
            return Batch(bytes: writer.takeBytes(), tokens: tokens, sizes: sizes, receivers: receivers)
        }

        /// Makes room for what gathers during a burst.
        mutating func reserveRoom() {
            guard wakesAt > 1, tokens.isEmpty else { return }
            writer.reserveCapacity(wakesAt + Outbox.burst)
            tokens.reserveCapacity(wakesAt / SendIntake.usualSize)
            sizes.reserveCapacity(wakesAt / SendIntake.usualSize)
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
            let wakes = !state.isWoken && state.writer.byteCount >= state.wakesAt
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
    func take() -> Batch? {
        state.withLock { state in
            state.isWoken = false
            guard !state.tokens.isEmpty else { return nil }
            defer { state.reserveRoom() }
            return state.take()
        }
    }

    /// Sets for how many bytes the session is woken: one by default, more while a burst gathers.
    func gather(_ byteCount: Int) {
        state.withLock { state in
            state.wakesAt = byteCount
            if byteCount > 1 { state.reserveRoom() } else if state.tokens.isEmpty { _ = state.take() }
        }
    }
}
