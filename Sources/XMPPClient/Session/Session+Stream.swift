import SASLMechanisms
import XMPPStanzas
import XMPPStream

extension Session {
    /// Performs the actions of the stream in order. Received data is only recorded; the reader handles it.
    @inline(never)
    func perform(_ actions: [StreamAction]?) {
        // Stanzas alone change nothing that must be settled before they are handled.
        if connection.reader.isInTurn, probeOver == nil, let actions, actions.count == 1,
            case .stanzas(let elements) = actions[0]
        {
            return receiver.append(elements)
        }
        for action in actions ?? [] {
            switch action {
            case .write(let bytes):
                connection.writer.outbox.append(bytes)
                sender.outboxGrew(in: self)
            case .startTLS: connection.reader.startTLS()
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
            case .stanzas(let elements): receiver.append(elements)
            case .unreadable(let element): receiver.append(element)
            case .element(let element): receiver.append(element)
            case .acknowledged(let numbers): acknowledged(numbers)
            case .notSent(let number): sent.fail(number, .notConnected, in: self)
            case .tooLarge(let number, let byteCount):
                let error = ClientError.tooLarge(byteCount: byteCount, limit: serverLimits.stanzaBytes)
                sent.fail(number, error, in: self)
            case .ended(let end): streamEnded(end)
            }
        }
        settle()
    }

    // MARK: What the stream and the session report

    /// Applies the negotiated settings.
    func adopt(_ session: StreamSession) {
        // A login with a token does not show what else the server offers.
        if !session.usesFAST, purpose == .login {
            let mechanism = SASLMechanismName(rawValue: session.mechanism)
            if memory.note(mechanism, after: configuration.mechanisms.previousMechanism) {
                save { store in await store.saveMechanism(mechanism) }
            }
        }
        requests.ownAddress = session.address
        if isStored {
            saving.changed()
            saving.left(session.unacknowledged)
        }
        guard !session.isResumed else { return }
        sender.serverSessionBegan()
        starts.sessionBegan(extensionTable.instances)
    }

    /// Sends the waiting stanzas and starts the extensions.
    func startExtensions() {
        sender.submitHeld(in: self)
        if let transport = connection.transport {
            jobs.start(on: loop.taskExecutor) { await transport.negotiationFinished() }
        }
        let instances = extensionTable.instances
        let round = starts.begin(instances)
        // The code of extensions may take time.
        jobs.start(on: instances.isEmpty ? loop.taskExecutor : nil) { [self] in await start(round) }
    }

    func report(_ failure: StreamFailure) {
        if failure.code == .loginTimedOut { emit(.timedOut) }
        if failure.category == .authentication { emit(.authenticationFailed(ClientError(failure))) }
        if let streamError = failure.streamError { emit(.streamError(streamError)) }
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

    /// Saves something for the next login.
    private func save(_ body: @escaping @Sendable (any SignInStore) async -> Void) {
        if let store = configuration.signInStore { signInSaving.append { await body(store) } }
    }

    private func useResource(_ resource: String?) {
        perform(stream?.useResource(resource, now: clock.now()))
    }

    private func acknowledged(_ numbers: [StanzaToken]) {
        guard isStored else { return sent.acknowledged(numbers, in: self) }
        saving.confirmed(numbers)
    }

    /// The stream is over: nothing can be sent any more, and new stanzas wait if the session can be resumed.
    func streamEnded(_ end: StreamEnd) {
        sent.enterUnwritten(connection.writer.outbox.takeTokens())
        carryOut(
            machine.streamEnded(
                sent.withoutSuspect(end, in: self), now: clock.now(), jitter: .random(in: 0...1)))
    }
}

extension SessionMachine.Abandonment {
    /// The detail of the error that the stream reports.
    var text: String {
        switch self {
        case .networkChanged: "The network has changed."
        case .suspended: "The session is suspended."
        case .storeFailed: "Nothing can be stored."
        }
    }
}
