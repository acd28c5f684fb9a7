import Waiting
import XMLStreaming
public import XMPPStanzas
public import XMPPStream

extension Session {
    /// Sends a message. It gets an id if it has none, passes the interceptors and is added to the single queue of the
    /// session.
    ///
    /// While the connection is lost and may be resumed, the message waits. If the session cannot be resumed, the
    /// message is sent in the next session, unless a text to the same address was lost before it: then its token fails
    /// as well, because the program will send the lost text again, and the order must be preserved.
    ///
    /// - Throws: ``ClientError`` with `notConnected` if there is no connection and none that will be resumed, `dropped`
    ///   if an interceptor dropped the message, `stanzaTooLarge` if the server does not accept so many bytes,
    ///   `queueFull`, `cancelled`.
    @discardableResult
    public nonisolated(nonsending) func send(_ message: Message) async throws(ClientError) -> SendToken {
        try await enqueue(.message(message))
    }

    /// Sends a message in this session on the server (``serverSessionCount``) and no later one: there it would overtake
    /// what was lost with the session before.
    ///
    /// - Throws: `notConnected` if another session has begun, even while the message waited for its turn.
    package nonisolated(nonsending) func send(
        _ message: Message, onlyIn serverSession: Int
    ) async throws(ClientError) -> SendToken {
        try await enqueue(.message(message), onlyIn: serverSession)
    }

    /// Sends several messages, in their order, like as many calls of ``send(_:)-(Message)``.
    ///
    /// - Throws: The error of the first message that could not be sent; those before it are sent, those after it are not.
    @discardableResult
    public nonisolated(nonsending) func send(
        contentsOf messages: [Message]
    ) async throws(ClientError) -> [SendToken] {
        var tokens: [SendToken] = []
        tokens.reserveCapacity(messages.count)
        for message in messages { tokens.append(try await enqueue(.message(message))) }
        return tokens
    }

    /// Sends a presence; without a receiver it is broadcast as the new presence of this session.
    @discardableResult
    public nonisolated(nonsending) func send(_ presence: Presence) async throws(ClientError) -> SendToken {
        try await enqueue(.presence(presence))
    }

    /// Sends an IQ stanza without waiting for a response; see ``request(_:to:timeout:)``.
    @discardableResult
    public nonisolated(nonsending) func send(_ iq: IQ) async throws(ClientError) -> SendToken {
        try await enqueue(.iq(iq))
    }

    @discardableResult
    public nonisolated(nonsending) func send(_ stanza: AnyStanza) async throws(ClientError) -> SendToken {
        try await enqueue(stanza)
    }

    /// Sends the last broadcast presence once more; does nothing if there was none.
    @discardableResult
    public func resendPresence() async throws(ClientError) -> SendToken? {
        guard var presence = lastPresence else { return nil }
        presence.id = nil
        return try await enqueue(.presence(presence))
    }

    /// The token of a stanza that this session sent, if it is still referenced. Extensions report receipts on it.
    public func token(stanzaID: String) -> SendToken? {
        takeIntake()
        settleRetired()
        return ledger.token(stanzaID: stanzaID) ?? connection.outbox.token(stanzaID: stanzaID)
    }

    /// A new id for a stanza.
    public func makeID() -> String { newID() }

    nonisolated func newID() -> String { identifiers.withLock { $0.next() } }

    /// The limits of the server for this session (XEP-0478): announced, or otherwise those that servers usually have.
    public var serverLimits: StreamLimits { stream?.serverLimits ?? memory.limits }

    /// Checks the size of an element: larger ones end the stream (RFC 6120 §4.9.3.14).
    func requireSendable(_ element: some XMLEncodable) throws(ClientError) {
        let (byteCount, limit) = (StreamMarkup.bytes(of: element).count, serverLimits.stanzaBytes)
        guard byteCount <= limit else { throw .tooLarge(byteCount: byteCount, limit: limit) }
    }

    // MARK: The queue

    /// Adds a stanza to the queue, on the executor of the caller as far as the session is not needed.
    nonisolated(nonsending) func enqueue(
        _ sent: AnyStanza, onlyIn serverSession: Int? = nil
    ) async throws(ClientError) -> SendToken {
        var stanza = sent
        if stanza.id == nil { stanza.id = newID() }
        if purpose == .component, stanza.from == nil { stanza.from = configuration.address }

        if serverSession == nil, interceptors.isEmpty, let token = try accept(stanza) { return token }
        return try await enqueueInTurn(stanza, onlyIn: serverSession)
    }

    /// The same for a stanza that the interceptors get, or about which the session decides.
    @inline(never)
    private nonisolated(nonsending) func enqueueInTurn(
        _ sent: AnyStanza, onlyIn serverSession: Int?
    ) async throws(ClientError) -> SendToken {
        var stanza = sent
        let chain = interceptors
        // A stanza sent by an interceptor must not wait for the stanza that waits for this interceptor.
        if !chain.isEmpty, SessionContext.interception != nil {
            if serverSession == nil, let token = try accept(stanza) { return token }
            return try await dispatch(stanza, onlyIn: serverSession)
        }
        guard await sendingLock.enter() else { throw .cancelled }
        defer { sendingLock.leave() }
        if !chain.isEmpty { stanza = try await intercept(outgoing: stanza, chain) }
        if serverSession == nil, let token = try accept(stanza) { return token }
        return try await dispatchWithRoom(stanza, onlyIn: serverSession)
    }

    private nonisolated(nonsending) func intercept(
        outgoing sent: AnyStanza, _ chain: [any StanzaInterceptor]
    ) async throws(ClientError) -> AnyStanza {
        var stanza = sent
        for interceptor in chain.reversed() {
            let result = await SessionContext.$interception.withValue(.outgoing) {
                await interceptor.willSend(stanza, in: self)
            }
            switch result {
            case .pass(let passed): stanza = passed
            case .drop, .handled:
                if case .drop = result { await report(.filtered(stanza, .outgoing)) }
                throw ClientError(.dropped, "The stanza was not sent: an interceptor took it.")
            }
        }
        if stanza.id == nil { stanza.id = sent.id }
        return stanza
    }

    private func report(_ event: SessionEvent) {
        emit(event)
        flushEvents()
    }

    /// Waits while too much data is waiting to be written. Only the task that holds the send lock waits here.
    private func waitForRoom() async throws(ClientError) {
        guard connection.outbox.isFull else { return }
        observers.gate.beginWaitingForPeer()
        defer { observers.gate.endWaitingForPeer() }
        while connection.outbox.isFull, isOnline {
            await outboxHasRoom.wait()
            if Task.isCancelled { throw .cancelled }
        }
    }

    private func dispatchWithRoom(_ stanza: AnyStanza, onlyIn serverSession: Int?) async throws(ClientError)
        -> SendToken
    {
        takeIntake()
        try await waitForRoom()
        return try dispatch(stanza, onlyIn: serverSession)
    }

    /// Passes a stanza to the connection, or to the backlog of one that will be resumed. No other stanza can get
    /// between this and the previous one.
    @discardableResult
    func dispatch(_ stanza: AnyStanza, onlyIn serverSession: Int? = nil) throws(ClientError) -> SendToken {
        if let serverSession, serverSession != serverSessionCount { throw .notConnected }
        if purpose == .component { try requireComponentAddresses(of: stanza) }
        takeIntake()
        let token = SendToken(stanza: stanza)
        switch machine.sending {
        case .now:
            let number = ledger.enter(token)
            if !submit(stanza, number), let failure = token.failure { throw failure }
        case .later:
            guard ledger.heldCount < configuration.backlogLimit else { throw .backlogFull }
            try requireSendable(stanza)
            ledger.hold(stanza, token)
        case .over(let error):
            throw error ?? .sessionEnded
        case .never, .registration:
            throw .notConnected
        }
        acquaintances.sent(stanza)
        if case .presence(let presence) = stanza, presence.isBroadcast {
            lastPresence = presence
            starts.presenceSent()
            emit(.presenceChanged(presence))
            flushEventsOutsideOfReading()
        }
        return token
    }

    /// Passes a stanza to the stream machine, which writes it into the outbox.
    ///
    /// - Returns: Whether it was certainly written; otherwise its token may have failed.
    @discardableResult
    func submit(_ stanza: AnyStanza, _ number: StanzaToken) -> Bool {
        if configuration.store != nil { saving.changed() }
        guard !connection.outbox.keepsPieces else {
            connection.outbox.append(number)
            perform(stream?.send(stanza, token: number, now: clock.now()))
            return false
        }
        switch stream?.send(stanza, token: number, now: clock.now(), to: &connection.outbox.writer) {
        case .written:
            connection.outbox.append(number)
            outboxGrew()
            return true
        case .writtenWithRequest:
            connection.outbox.append(number)
            outboxGrew()
            rearm()
            return true
        case .notSent: perform([.notSent(number)])
        case .tooLarge(let byteCount): perform([.tooLarge(number, byteCount: byteCount)])
        case nil: break
        }
        return false
    }
}

// MARK: - Sending from any thread

extension Session {
    /// Passes a stanza to the stream on the thread of the session, and writes it into the intake on another one; `nil` if
    /// the session has to decide what becomes of it.
    private nonisolated func accept(_ stanza: AnyStanza) throws(ClientError) -> SendToken? {
        if loop.isCurrent { return try assumeIsolated { $0.dispatchAtOnce(stanza) }?.get() }
        guard case .accepted(let token, let wakes) = intake.accept(stanza) else { return nil }
        if wakes { loop.execute { self.assumeIsolated { $0.gatherTurn() } } }
        return token
    }

    private func dispatchAtOnce(_ stanza: AnyStanza) -> Result<SendToken, ClientError>? {
        guard intakeLimit > 0 else { return nil }
        do throws(ClientError) {
            return .success(try dispatch(stanza))
        } catch {
            return .failure(error)
        }
    }

    /// Opens the intake while the stream takes stanzas and there is room for them; called after each change.
    func updateIntake() {
        let isOpen =
            machine.sending == .now && purpose == .login && !connection.outbox.keepsPieces
            && !connection.outbox.isFull
        let limit = isOpen ? serverLimits.stanzaBytes : 0
        guard limit != intakeLimit else { return }
        intakeLimit = limit
        intake.open(limit: limit)
        if !isOpen { takeIntake() }
    }

    /// Passes everything that was sent from outside to the stream machine.
    func takeIntake() {
        guard let batch = intake.take() else { return }
        if configuration.store != nil { saving.changed() }
        guard machine.sending == .now, !connection.outbox.keepsPieces else {
            for token in batch.tokens { decide(on: token) }
            return
        }
        acquaintances.wrote(to: batch.receivers)
        if batch.bytes.count >= Outbox.burst { gatherBurst() }
        if stream?.countsSentStanzas == false, !observers.isObserved(.sending),
            stream?.send(
                written: batch.bytes, sizes: batch.sizes, first: StanzaToken(0), now: clock.now(),
                to: &connection.outbox.writer) == .written
        {
            connection.outbox.append(batch.tokens)
            return outboxGrew()
        }
        let first = ledger.enter(contentsOf: batch.tokens)
        switch stream?.send(
            written: batch.bytes, sizes: batch.sizes, first: first, now: clock.now(), to: &connection.outbox.writer)
        {
        case .written:
            connection.outbox.append(first: first, count: batch.tokens.count)
            outboxGrew()
        case .writtenWithRequest:
            connection.outbox.append(first: first, count: batch.tokens.count)
            outboxGrew()
            rearm()
        case .notSent, .tooLarge, nil:
            for number in SendLedger.numbers(from: first, batch.tokens.count) { failSending(number, .notConnected) }
            settle()
        }
    }

    /// Stanzas without a number were written. Their tokens are looked at, and freed, by the next sender of a burst, whose
    /// thread has made them.
    func wrote(_ tokens: inout [[SendToken]]) {
        guard !tokens.isEmpty else { return }
        if isGatheringTimed, !observers.isObserved(.sending) { intake.retire(&tokens) } else { settle(&tokens) }
    }

    /// Reports that stanzas without a number were written, to those who still reference their tokens.
    private func settle(_ written: inout [[SendToken]]) {
        if observers.isObserved(.sending) {
            for batch in written {
                for token in batch {
                    token.writtenUnmanaged()
                    emit(.sent(token))
                }
            }
            flushEventsOutsideOfReading()
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
    func settleRetired() {
        var retired = intake.takeRetired()
        settle(&retired)
        for token in intake.takeReferenced() { ledger.remember(token) }
    }

    /// The connection is over: stanzas that were not written are in the ledger like others.
    func enterUnwritten() {
        for tokens in connection.outbox.takeTokens() { _ = ledger.enter(contentsOf: tokens) }
    }

    /// The connection was lost before a stanza was passed to the stream.
    private func decide(on token: SendToken) {
        acquaintances.sent(token.stanza)
        switch machine.sending {
        case .now: submit(token.stanza, ledger.enter(token))
        case .later where ledger.heldCount < configuration.backlogLimit: ledger.hold(token.stanza, token)
        case .later: failSending(ledger.enter(token), .backlogFull)
        case .over(let error): failSending(ledger.enter(token), error ?? .sessionEnded)
        case .never, .registration: failSending(ledger.enter(token), .notConnected)
        }
    }

    /// During a burst from outside, more gathers before the session is woken, but not longer than
    /// ``Outbox/gatheringTime``: each wake-up costs more than many messages.
    private func gatherBurst() {
        guard !isGatheringTimed else { return }
        isGatheringTimed = true
        intake.gather(Outbox.gathered)
        // The time of the machine, not that of the session's clock: nothing in the protocol depends on it.
        _ = loop.state.schedule(at: .now.advanced(by: Outbox.gatheringTime)) {
            self.assumeIsolated { $0.gatheringTimePassed() }
        }
    }

    private func gatheringTimePassed() {
        isGatheringTimed = false
        intake.gather(1)
        settleRetired()
        // If this is the middle of the burst, it begins to gather again.
        takeIntake()
    }
}
