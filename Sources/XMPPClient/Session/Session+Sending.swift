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
    public func send(_ message: Message) async throws(ClientError) -> SendToken {
        try await enqueue(.message(message))
    }

    /// Sends a message in this session on the server (``serverSessionCount``) and no later one: there it would overtake
    /// what was lost with the session before.
    ///
    /// - Throws: `notConnected` if another session has begun, even while the message waited for its turn.
    package func send(_ message: Message, onlyIn serverSession: Int) async throws(ClientError) -> SendToken {
        try await enqueue(.message(message), onlyIn: serverSession)
    }

    /// Sends several messages, in their order, like as many calls of ``send(_:)-(Message)``, with one change to the session.
    ///
    /// - Throws: The error of the first message that could not be sent; those before it are sent, those after it are not.
    @discardableResult
    public func send(contentsOf messages: [Message]) async throws(ClientError) -> [SendToken] {
        var tokens: [SendToken] = []
        tokens.reserveCapacity(messages.count)
        for message in messages { tokens.append(try await enqueue(.message(message))) }
        return tokens
    }

    /// Sends a presence; without a receiver it is broadcast as the new presence of this session.
    @discardableResult
    public func send(_ presence: Presence) async throws(ClientError) -> SendToken {
        try await enqueue(.presence(presence))
    }

    /// Sends an IQ stanza without waiting for a response; see ``request(_:to:timeout:)``.
    @discardableResult
    public func send(_ iq: IQ) async throws(ClientError) -> SendToken {
        try await enqueue(.iq(iq))
    }

    @discardableResult
    public func send(_ stanza: AnyStanza) async throws(ClientError) -> SendToken {
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
    public func token(stanzaID: String) -> SendToken? { ledger.token(stanzaID: stanzaID) }

    /// A new id for a stanza.
    public func makeID() -> String { identifiers.next() }

    /// The limits of the server for this session (XEP-0478): announced, or otherwise those that servers usually have.
    public var serverLimits: StreamLimits { stream?.serverLimits ?? memory.limits }

    /// Checks the size of an element: larger ones end the stream (RFC 6120 §4.9.3.14).
    func requireSendable(_ element: some XMLEncodable) throws(ClientError) {
        let (byteCount, limit) = (StreamMarkup.bytes(of: element).count, serverLimits.stanzaBytes)
        guard byteCount <= limit else { throw .tooLarge(byteCount: byteCount, limit: limit) }
    }

    // MARK: The queue

    func enqueue(_ stanza: AnyStanza, onlyIn serverSession: Int? = nil) async throws(ClientError) -> SendToken {
        if stanza.id == nil || purpose == .component && stanza.from == nil {
            var named = stanza
            if named.id == nil { named.id = identifiers.next() }
            if purpose == .component, named.from == nil { named.from = configuration.address }
            return try await enqueue(named, onlyIn: serverSession)
        }
        if let serverSession, serverSession != serverSessionCount { throw .notConnected }
        if interceptors.isEmpty, sendingLock.isFree, !connection.outbox.isFull { return try dispatch(stanza) }
        // A stanza sent by an interceptor must not wait for the stanza that waits for this interceptor.
        if SessionContext.interception != nil { return try dispatch(stanza) }

        var stanza = stanza
        guard await sendingLock.enter() else { throw .cancelled }
        defer { sendingLock.leave() }
        if !interceptors.isEmpty { stanza = try await intercept(outgoing: stanza) }
        try await waitForRoom()
        if let serverSession, serverSession != serverSessionCount { throw .notConnected }
        return try dispatch(stanza)
    }

    private func intercept(outgoing sent: AnyStanza) async throws(ClientError) -> AnyStanza {
        var stanza = sent
        for interceptor in interceptors.reversed() {
            let result = await SessionContext.$interception.withValue(.outgoing) {
                await interceptor.willSend(stanza, in: self)
            }
            switch result {
            case .pass(let passed): stanza = passed
            case .drop, .handled:
                if case .drop = result { emit(.filtered(stanza, .outgoing)) }
                flushEvents()
                throw ClientError(.dropped, "The stanza was not sent: an interceptor took it.")
            }
        }
        if stanza.id == nil { stanza.id = sent.id }
        return stanza
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

    /// Passes a stanza to the connection, or to the backlog of one that will be resumed. No other stanza can get
    /// between this and the previous one.
    func dispatch(_ stanza: AnyStanza) throws(ClientError) -> SendToken {
        if purpose == .component { try requireComponentAddresses(of: stanza) }
        let token = SendToken(stanza: stanza)
        switch machine.sending {
        case .now:
            let number = ledger.enter(token)
            if !submit(stanza, number), let failure = token.failure { throw failure }
        case .later:
            guard ledger.heldCount < configuration.backlogLimit else {
                throw ClientError(.queueFull, "Too many stanzas wait for the connection to come back.")
            }
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
            wakeWriter()
            return true
        case .writtenWithRequest:
            connection.outbox.append(number)
            wakeWriter()
            rearm()
            return true
        case .notSent: perform([.notSent(number)])
        case .tooLarge(let byteCount): perform([.tooLarge(number, byteCount: byteCount)])
        case nil: break
        }
        return false
    }

    /// Wakes the writer if it waits for as much as there is now.
    func wakeWriter() {
        guard connection.outbox.byteCount >= connection.wakesWriterAt else { return }
        connection.wakesWriterAt = .max
        outboxFilled.send()
    }
}
