import XMPPAddress
import XMPPStanzas
import XMPPStream

/// Gives the stanzas that a session sends their place in the one order, and passes them to the stream or to the backlog for the
/// next connection. ``SentStanzas`` knows what becomes of them.
///
/// It is used on the executor of its session only. Senders on other threads use ``SendIntake``, which this takes from.
final class StanzaSender {
    private var acquaintances = ContactedAddresses()
    /// The size of the stanzas for which the intake is open; 0 while it is closed.
    private var intakeLimit = 0
    /// Whether this turn of the event loop ends with a call of ``Session/turnEnded()``.
    private var isTurnGathered = false
    /// Whether the timer of a burst runs.
    private var isGatheringTimed = false

    /// Whether senders may write into the intake.
    private var isIntakeOpen: Bool { intakeLimit > 0 }
}

// MARK: - The queue

extension StanzaSender {
    /// Passes a stanza to the connection, or to the backlog of one that will be resumed. No other stanza can get
    /// between this and the previous one.
    @discardableResult
    func dispatch(
        _ stanza: AnyStanza, onlyIn serverSession: Int? = nil, in session: isolated Session
    ) throws(ClientError) -> SendToken {
        if let serverSession, serverSession != session.machine.serverSessions { throw .notConnected }
        if session.purpose == .component { try session.requireComponentAddresses(of: stanza) }
        takeIntake(in: session)
        let token = SendToken(stanza: stanza)
        switch session.machine.sending {
        case .now:
            let number = session.sent.ledger.enter(token)
            if !submit(stanza, number, in: session), let failure = token.failure { throw failure }
        case .later:
            guard session.sent.ledger.heldCount < session.configuration.backlogLimit else { throw .backlogFull }
            try session.requireSendable(stanza)
            session.sent.ledger.hold(stanza, token)
        case .over(let error):
            throw error ?? .sessionEnded
        case .never, .registration:
            throw .notConnected
        }
        acquaintances.sent(stanza)
        if case .presence(let presence) = stanza, presence.isBroadcast { session.presenceSent(presence) }
        return token
    }

    /// The same for a stanza that is sent on the thread of the session; `nil` if it has to wait for its turn.
    func dispatchAtOnce(_ stanza: AnyStanza, in session: isolated Session) -> Result<SendToken, ClientError>? {
        guard isIntakeOpen else { return nil }
        do throws(ClientError) {
            return .success(try dispatch(stanza, in: session))
        } catch {
            return .failure(error)
        }
    }

    /// Passes a stanza to the stream machine, which writes it into the outbox.
    ///
    /// - Returns: Whether it was certainly written; otherwise its token may have failed.
    @discardableResult
    private func submit(_ stanza: AnyStanza, _ number: StanzaToken, in session: isolated Session) -> Bool {
        if session.isStored { session.saving.changed() }
        let writer = session.connection.writer
        guard !writer.outbox.keepsPieces else {
            writer.outbox.append(number)
            session.perform(session.stream?.send(stanza, token: number, now: session.clock.now()))
            return false
        }
        let now = session.clock.now()
        switch session.stream?.send(stanza, token: number, now: now, to: &writer.outbox.writer) {
        case .written:
            writer.outbox.append(number)
            outboxGrew(in: session)
            return true
        case .writtenWithRequest:
            writer.outbox.append(number)
            outboxGrew(in: session)
            session.rearm()
            return true
        case .notSent: session.perform([.notSent(number)])
        case .tooLarge(let byteCount): session.perform([.tooLarge(number, byteCount: byteCount)])
        case nil: break
        }
        return false
    }

    /// Sends the stanzas that waited for the connection.
    func submitHeld(in session: isolated Session) {
        for (stanza, number) in session.sent.ledger.takeHeld() { submit(stanza, number, in: session) }
    }

    /// Something was added to the outbox: it is written at the end of this turn of the event loop.
    func outboxGrew(in session: isolated Session) {
        gatherTurn(in: session)
        if session.connection.writer.outbox.isFull { updateIntake(in: session) }
    }

    /// Lets this turn of the event loop end with a call of ``Session/turnEnded()``.
    func gatherTurn(in session: isolated Session) {
        guard !isTurnGathered else { return }
        isTurnGathered = true
        session.loop.state.gather(session)
    }

    /// The turn of the event loop has ended.
    func turnEnded(in session: isolated Session) {
        isTurnGathered = false
        takeIntake(in: session)
        session.connection.writer.flush(in: session)
    }
}

// MARK: - The intake

extension StanzaSender {
    /// Opens the intake while the stream takes stanzas and there is room for them; called after each change.
    func updateIntake(in session: isolated Session) {
        let writer = session.connection.writer
        let isOpen =
            session.machine.sending == .now && session.purpose == .login && !writer.outbox.keepsPieces
            && !writer.outbox.isFull
        let limit = isOpen ? session.serverLimits.stanzaBytes : 0
        guard limit != intakeLimit else { return }
        intakeLimit = limit
        session.intake.open(limit: limit)
        if !isOpen { takeIntake(in: session) }
    }

    /// The outbox was written: there is room again.
    func outboxShrank(in session: isolated Session) {
        if !isIntakeOpen { updateIntake(in: session) }
    }

    /// Passes everything that was sent from outside to the stream machine.
    func takeIntake(in session: isolated Session) {
        guard let batch = session.intake.take(isBurst: isGatheringTimed) else { return }
        if session.isStored { session.saving.changed() }
        let writer = session.connection.writer
        guard session.machine.sending == .now, !writer.outbox.keepsPieces else {
            for token in batch.tokens { decide(on: token, in: session) }
            return
        }
        acquaintances.wrote(to: batch.receivers)
        if batch.bytes.count >= Outbox.burst { gatherBurst(in: session) }
        let now = session.clock.now()
        if session.stream?.countsSentStanzas == false, !session.observers.isObserved(.sending),
            session.stream?.send(
                written: batch.bytes, sizes: batch.sizes, first: StanzaToken(0), now: now,
                to: &writer.outbox.writer) == .written
        {
            writer.outbox.append(batch.tokens)
            return outboxGrew(in: session)
        }
        let first = session.sent.ledger.enter(contentsOf: batch.tokens)
        switch session.stream?.send(
            written: batch.bytes, sizes: batch.sizes, first: first, now: now, to: &writer.outbox.writer)
        {
        case .written:
            writer.outbox.append(first: first, count: batch.tokens.count)
            outboxGrew(in: session)
        case .writtenWithRequest:
            writer.outbox.append(first: first, count: batch.tokens.count)
            outboxGrew(in: session)
            session.rearm()
        case .notSent, .tooLarge, nil:
            for number in SendLedger.numbers(from: first, batch.tokens.count) {
                session.sent.fail(number, .notConnected, in: session)
            }
            session.settle()
        }
    }

    /// The connection was lost before a stanza was passed to the stream.
    private func decide(on token: SendToken, in session: isolated Session) {
        acquaintances.sent(token.stanza)
        switch session.machine.sending {
        case .now: submit(token.stanza, session.sent.ledger.enter(token), in: session)
        case .later where session.sent.ledger.heldCount < session.configuration.backlogLimit:
            session.sent.ledger.hold(token.stanza, token)
        case .later: session.sent.fail(session.sent.ledger.enter(token), .backlogFull, in: session)
        case .over(let error): session.sent.fail(session.sent.ledger.enter(token), error ?? .sessionEnded, in: session)
        case .never, .registration: session.sent.fail(session.sent.ledger.enter(token), .notConnected, in: session)
        }
    }

    /// During a burst from outside, more gathers before the session is woken, but not longer than
    /// ``Outbox/gatheringTime``: each wake-up costs more than many messages.
    private func gatherBurst(in session: isolated Session) {
        guard !isGatheringTimed else { return }
        isGatheringTimed = true
        session.intake.gather(Outbox.gathered)
        // The time of the machine, not that of the session's clock: nothing in the protocol depends on it.
        _ = session.loop.state.schedule(at: .now.advanced(by: Outbox.gatheringTime)) {
            session.onLoop { $0.sender.gatheringTimePassed(in: $0) }
        }
    }

    private func gatheringTimePassed(in session: isolated Session) {
        isGatheringTimed = false
        session.intake.gather(1)
        session.sent.settleRetired(in: session)
        // If this is the middle of the burst, it begins to gather again.
        takeIntake(in: session)
    }

    /// Whether stanzas from outside gather before they are written.
    var isBurst: Bool { isGatheringTimed }
}

// MARK: - Known addresses

extension StanzaSender {
    /// Whether the peer knows the address of this session, because the session has written to it.
    func hasContacted(_ peer: JID, in session: isolated Session) -> Bool {
        // What was sent from outside of the session until now counts, too.
        takeIntake(in: session)
        return acquaintances.contains(peer)
    }

    /// Another session on the server has begun.
    func serverSessionBegan() { acquaintances.sessionBegan() }
}
