import XMPPStanzas
import XMPPStream

extension Session {
    /// Performs the actions of the stream in order. Received data is only recorded; the reader handles it.
    @inline(never)
    func perform(_ actions: [StreamAction]?) {
        for action in actions ?? [] {
            switch action {
            case .write(let bytes):
                connection.outbox.append(bytes)
                outboxGrew()
            case .startTLS: connection.isTLSDue = true
            // The transport is closed when the stream is over, after the remaining data is written.
            case .closeTransport: break
            case .progress(let progress):
                if let event = ConnectionEvent(progress) { emit(event) }
                carryOut(machine.progressed(progress))
            case .readyToRegister(let features): readyToRegister(features)
            case .resourceConflict(let resource): resourceIsTaken(resource)
            // Not requested: without an installation the server issues no token.
            case .tokenReceived(let token): keep(token)
            case .tokenRejected: keep(nil)
            case .established(let session): carryOut(machine.established(session, now: clock.now()))
            case .stanzas(let elements): connection.inbox.append(.stanzas(elements))
            case .unreadable(let element): connection.inbox.append(.unreadable(element))
            case .element(let element): connection.inbox.append(.element(element))
            case .acknowledged(let numbers): acknowledged(numbers)
            case .notSent(let number): failSending(number, .notConnected)
            case .tooLarge(let number, let byteCount):
                failSending(number, .tooLarge(byteCount: byteCount, limit: serverLimits.stanzaBytes))
            case .ended(let end): streamEnded(end)
            }
        }
        settle()
    }

    /// Completes the actions of either machine.
    @inline(never)
    func settle() {
        // Stanzas that the stream resends precede those that waited for it. A stream can end in the same moment in
        // which it begins.
        if let isFirst = connection.startDue {
            connection.startDue = nil
            if isOnline { start(isFirst: isFirst) }
        }
        updateIntake()
        if machine.isDraining, !connection.isHandlingInput { connection.over.open() }
        if let over = probeOver, stream?.isProbing != true {
            probeOver = nil
            over.open()
        }
        rearm()
        flushEventsOutsideOfReading()
    }

    private func readyToRegister(_ features: StreamFeatures) {
        guard purpose == .registration else { return }
        emit(.readyToRegister)
        carryOut(machine.readyToRegister(features))
        firstOnline.open()
    }

    private func resourceIsTaken(_ resource: String) {
        emit(.resourceInUse(resource))
        guard case .ask(let ask) = configuration.resourceConflict else { return }
        spawn { [self] in
            let other = await ask(resource)
            await useResource(other)
        }
    }

    /// Stores the new token for the next login, or removes it.
    private func keep(_ token: FASTToken?) {
        memory.token = token
        save { store in await store.saveToken(token) }
    }

    /// Runs outside of the tasks of the session: an issued token must be saved even if the session ends at this moment.
    /// The end of the session waits for it.
    func save(_ body: @escaping @Sendable (any SignInStore) async -> Void) {
        guard let store = configuration.signInStore else { return }
        signInSaving = Task { [signInSaving] in
            await signInSaving?.value
            await body(store)
        }
    }

    private func useResource(_ resource: String?) {
        perform(stream?.useResource(resource, now: clock.now()))
    }

    private func acknowledged(_ numbers: [StanzaToken]) {
        guard configuration.store != nil else { return reportAcknowledged(numbers) }
        saving.confirmed(numbers)
    }

    func reportAcknowledged(_ numbers: [StanzaToken]) {
        let isObserved = observers.isObserved(.sending)
        for number in numbers {
            guard var token = ledger.close(number) else { continue }
            // Nobody can learn of a change.
            if !isObserved, isKnownUniquelyReferenced(&token) { continue }
            // The acknowledgement may be handled before the task that has written the stanza continues.
            if isObserved, token.stage < .written {
                token.advance(to: .written)
                emit(.sent(token))
            }
            token.advance(to: .acknowledged)
            if isObserved { emit(.acknowledged(token)) }
            ledger.remember(&token)
        }
    }

    /// The stream is over: nothing can be sent any more, and new stanzas wait if the session can be resumed.
    func streamEnded(_ end: StreamEnd) {
        enterUnwritten()
        carryOut(machine.streamEnded(withoutSuspect(end), now: clock.now(), jitter: .random(in: 0...1)))
    }

    /// Gives up a message after which the server ended the stream more than once, and with it the session, which would
    /// resend it.
    private func withoutSuspect(_ end: StreamEnd) -> StreamEnd {
        guard isOnline, let failure = end.failure, failure.objectsToOurStanza else { return end }
        // Requests fail with the session and are not repeated with the same id.
        let messages = end.unacknowledged.compactMap { stanza in
            ledger[stanza.token].flatMap { token in
                if case .message = token.stanza { (id: token.id, stanza: stanza) } else { nil }
            }
        }
        let candidates = messages.map { StanzaSuspicion.Candidate(id: $0.id, byteCount: $0.stanza.bytes.count) }
        guard let id = memory.suspicion.streamRefused(candidates) else { return end }
        let refused = Set(messages.filter { $0.id == id }.map(\.stanza.token))
        let error = ClientError(
            .stanzaRefused, "The server ended the connection twice because of this, so it is not sent again.",
            cause: failure)
        for number in refused { failSending(number, error) }
        return StreamEnd(
            reason: end.reason, unacknowledged: end.unacknowledged.filter { !refused.contains($0.token) })
    }
}
