import TransportLayer
import Waiting
public import XMLStreaming
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

    /// Sends a message at once, from code that runs on the session: a handler that decides about a received stanza
    /// (``StanzaInterceptor/decide(received:in:)``). It passes no interceptor.
    ///
    /// Where many are sent, use ``send(_:)-(Message)``, which waits for room.
    ///
    /// - Throws: ``ClientError`` as ``send(_:)-(Message)``, and with `queueFull` while more waits to be written than may.
    @discardableResult
    public func post(_ message: consuming Message) throws(ClientError) -> SendToken {
        try post(.message(consume message))
    }

    /// Sends a stanza at once, from code that runs on the session and cannot wait; with the limits and errors of
    /// ``post(_:)-(Message)``.
    @discardableResult
    public func post(_ stanza: consuming AnyStanza) throws(ClientError) -> SendToken {
        guard !connection.writer.outbox.isOverflowing else { throw .outboxFull }
        return try dispatch(completed(stanza))
    }

    /// Sends the last broadcast presence once more; does nothing if there was none.
    @discardableResult
    public func resendPresence() async throws(ClientError) -> SendToken? {
        guard var presence else { return nil }
        presence.id = nil
        return try await enqueue(.presence(presence))
    }

    /// The token of a stanza that this session sent, if it is still referenced. Extensions report receipts on it.
    public func token(stanzaID: String) -> SendToken? {
        sender.takeIntake(in: self)
        sent.settleRetired(in: self)
        return sent.ledger.token(stanzaID: stanzaID) ?? connection.writer.outbox.token(stanzaID: stanzaID)
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
        let stanza = completed(sent)
        if serverSession == nil, passesAtOnce(stanza), let token = try accept(stanza) { return token }
        return try await enqueueInTurn(stanza, onlyIn: serverSession)
    }

    /// A stanza with an id, and that of a component with a sender.
    private nonisolated func completed(_ sent: consuming AnyStanza) -> AnyStanza {
        var stanza = sent
        if stanza.id == nil { stanza.id = newID() }
        if purpose == .component, stanza.from == nil { stanza.from = configuration.address }
        return stanza
    }

    /// Whether no interceptor gets a stanza, and it overtakes none that an interceptor has.
    private nonisolated func passesAtOnce(_ stanza: AnyStanza) -> Bool {
        let chain = interceptors
        return chain.isEmpty || sendingLock.isFree && !chain.concern(sent: stanza)
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
        for interceptor in chain.reversed() where interceptor.concerns(sent: stanza) {
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
        guard connection.writer.outbox.isFull else { return }
        observers.gate.beginWaitingForPeer()
        defer { observers.gate.endWaitingForPeer() }
        while connection.writer.outbox.isFull, isOnline {
            await outboxHasRoom.wait()
            if Task.isCancelled { throw .cancelled }
        }
    }

    private func dispatchWithRoom(_ stanza: AnyStanza, onlyIn serverSession: Int?) async throws(ClientError)
        -> SendToken
    {
        sender.takeIntake(in: self)
        try await waitForRoom()
        return try dispatch(stanza, onlyIn: serverSession)
    }

    @discardableResult
    func dispatch(_ stanza: AnyStanza, onlyIn serverSession: Int? = nil) throws(ClientError) -> SendToken {
        try sender.dispatch(stanza, onlyIn: serverSession, in: self)
    }

    /// A presence was broadcast.
    func presenceSent(_ presence: Presence) {
        machine.presenceSent(presence)
        emit(.presenceChanged(presence))
        flushEventsOutsideOfReading()
    }

    /// Passes a stanza to the stream on the thread of the session, and writes it into the intake on another one; `nil` if
    /// the session has to decide what becomes of it.
    private nonisolated func accept(_ stanza: AnyStanza) throws(ClientError) -> SendToken? {
        if loop.isCurrent { return try onLoop(stanza) { $0.sender.dispatchAtOnce($1, in: $0) }?.get() }
        guard case .accepted(let token, let wakes) = intake.accept(stanza) else { return nil }
        if wakes { loop.execute { self.onLoop { $0.sender.gatherTurn(in: $0) } } }
        return token
    }
}

extension Session: EventLoopActor, Flushable {
    /// The end of a turn of the event loop.
    package nonisolated func turnEnded() { onLoop { $0.sender.turnEnded(in: $0) } }
}

extension Session {
    /// Sends a top-level element other than a stanza, such as the client state of XEP-0352. It is not acknowledged and
    /// is lost with the connection. Observers get ``SessionEvent/elementSent(_:)`` when it was written.
    ///
    /// - Parameter expectsAnswer: Whether a question follows it, `<r/>` or a ping. A server that holds back what it has to
    ///   write because of the element then writes it.
    /// - Throws: ``ClientError`` with `notConnected`, `stanzaTooLarge`.
    public func send(element: some XMLEncodable, expectsAnswer: Bool = false) throws(ClientError) {
        guard isOnline else { throw .notConnected }
        try requireSendable(element)
        if observers.isObserved(.sending) { connection.writer.append(XMLElement(element)) }
        sender.takeIntake(in: self)
        perform(stream?.sendElement(element, expectsAnswer: expectsAnswer, now: clock.now()))
    }
}
