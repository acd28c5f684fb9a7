import XMPPAddress
import XMPPStanzas
import XMPPStream

/// What becomes of the stanzas that a session has sent: their tokens and the observers learn when they are written and
/// acknowledged, or why they failed.
///
/// It is used on the executor of its session only.
final class SentStanzas {
    let ledger = SendLedger()

    // MARK: Written

    /// Stanzas with a number were written.
    func written(_ numbers: [StanzaToken], in session: isolated Session) {
        guard !numbers.isEmpty else { return }
        let isObserved = session.observers.isObserved(.sending)
        let isManaged = session.machine.isManaged
        for number in numbers {
            if isManaged {
                guard let token = ledger[number] else { continue }
                token.advance(to: .written)
                if isObserved { session.emit(.sent(token)) }
            } else {
                guard var token = ledger.close(number) else { continue }
                // No observer exists yet.
                if !isObserved, isKnownUniquelyReferenced(&token) { continue }
                token.writtenUnmanaged()
                if isObserved { session.emit(.sent(token)) }
                ledger.remember(&token)
            }
        }
        session.flushEventsOutsideOfReading()
    }

    /// Stanzas without a number were written. Their tokens are looked at, and freed, by the next sender of a burst, whose
    /// thread has made them.
    func written(_ tokens: inout [[SendToken]], in session: isolated Session) {
        guard !tokens.isEmpty else { return }
        if session.sender.isBurst, !session.observers.isObserved(.sending) {
            session.intake.retire(&tokens)
        } else {
            settle(&tokens, in: session)
        }
    }

    /// Reports that stanzas without a number were written, to those who still reference their tokens.
    private func settle(_ written: inout [[SendToken]], in session: isolated Session) {
        if session.observers.isObserved(.sending) {
            for batch in written {
                for token in batch {
                    token.writtenUnmanaged()
                    session.emit(.sent(token))
                }
            }
            session.flushEventsOutsideOfReading()
        }
        // Moved one after the other, because tokens in an array that is shared would be referenced twice.
        while var batch = written.popLast() {
            for index in batch.indices where !isKnownUniquelyReferenced(&batch[index]) {
                batch[index].writtenUnmanaged()
                ledger.remember(&batch[index])
            }
        }
    }

    /// Looks at the tokens that no sender has looked at, and remembers those that are still referenced.
    func settleRetired(in session: isolated Session) {
        var retired = session.intake.takeRetired()
        settle(&retired, in: session)
        for token in session.intake.takeReferenced() { ledger.remember(token) }
    }

    // MARK: Acknowledged

    /// The server has acknowledged stanzas, and this is stored if the session has a store.
    func acknowledged(_ numbers: [StanzaToken], in session: isolated Session) {
        let isObserved = session.observers.isObserved(.sending)
        for number in numbers {
            guard var token = ledger.close(number) else { continue }
            // Nobody can learn of a change.
            if !isObserved, isKnownUniquelyReferenced(&token) { continue }
            // The acknowledgement may be handled before the task that has written the stanza continues.
            if isObserved, token.stage < .written {
                token.advance(to: .written)
                session.emit(.sent(token))
            }
            token.advance(to: .acknowledged)
            if isObserved { session.emit(.acknowledged(token)) }
            ledger.remember(&token)
        }
    }

    // MARK: Failed

    func fail(_ number: StanzaToken, _ error: ClientError, in session: isolated Session) {
        guard var token = ledger.close(number) else { return }
        token.fail(error)
        session.emit(.sendingFailed(token, error))
        ledger.remember(&token)
    }

    /// A stanza that was never written failed for the given reason; for one that was written, the outcome is unknown.
    private func fail(_ number: StanzaToken, because error: ClientError, in session: isolated Session) {
        let isWritten = ledger[number]?.stage != .queued
        fail(number, isWritten ? .unacknowledged(because: error) : error, in: session)
    }

    /// The session on the server was lost: no response or acknowledgement can arrive any more.
    func lose(_ error: ClientError, in session: isolated Session) {
        let (sent, held) = ledger.lose(except: Set(session.saving.acknowledged))
        for number in held { fail(number, error, in: session) }
        let heldIDs = ledger.heldIDs
        for reply in session.requests.withdrawAll(where: { !heldIDs.contains($0) }) { reply.fulfil(.failure(error)) }
        for number in sent { fail(number, because: error, in: session) }
    }

    /// The connection is over: stanzas that were not written are in the ledger like others.
    func enterUnwritten(_ batches: [[SendToken]]) {
        for tokens in batches { _ = ledger.enter(contentsOf: tokens) }
    }

    /// Gives up a message after which the server ended the stream more than once, and with it the session, which would
    /// resend it.
    ///
    /// - Returns: The end of the stream without the message.
    func withoutSuspect(_ end: StreamEnd, in session: isolated Session) -> StreamEnd {
        guard session.isOnline, let failure = end.failure, failure.objectsToOurStanza else { return end }
        // Requests fail with the session and are not repeated with the same id.
        let messages = end.unacknowledged.compactMap { stanza in
            ledger[stanza.token].flatMap { token in
                if case .message = token.stanza { (id: token.id, stanza: stanza) } else { nil }
            }
        }
        let candidates = messages.map { StanzaSuspicion.Candidate(id: $0.id, byteCount: $0.stanza.bytes.count) }
        guard let id = session.memory.suspicion.streamRefused(candidates) else { return end }
        let refused = Set(messages.filter { $0.id == id }.map(\.stanza.token))
        let error = ClientError(
            .stanzaRefused, "The server ended the connection twice because of this, so it is not sent again.",
            cause: failure)
        for number in refused { fail(number, error, in: session) }
        return StreamEnd(
            reason: end.reason, unacknowledged: end.unacknowledged.filter { !refused.contains($0.token) })
    }

    /// The session is over: nothing more becomes of any stanza.
    ///
    /// - Parameter error: `nil` if the end was requested.
    func end(_ error: ClientError?, in session: isolated Session) {
        let reason = error ?? .sessionEnded
        _ = ledger.takeHeld()
        for number in ledger.numbers {
            // After a requested end the unavailable presence is not missed.
            if error == nil, case .presence? = ledger[number]?.stanza { continue }
            fail(number, because: reason, in: session)
        }
        for reply in session.requests.withdrawAll() { reply.fulfil(.failure(reason)) }
        settleRetired(in: session)
        for token in ledger.alive() { token.settle() }
    }
}
