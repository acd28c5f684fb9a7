import XMPPStanzas
import XMPPStream

extension Session {
    /// Does what the machine asks for, in its order. Input is only noted; the reader handles it.
    func perform(_ actions: [StreamAction]?) {
        for action in actions ?? [] {
            switch action {
            case .write(let bytes): outbox.append(bytes)
            case .startTLS: isTLSWanted = true
            // The transport is closed when the stream is over, after what is still to be written.
            case .closeTransport: break
            case .progress(let progress):
                if let event = ConnectionEvent(progress) { emit(event) }
                show(progress)
            case .readyToRegister(let features): readyToRegister(features)
            case .resourceConflict(let resource): resourceIsTaken(resource)
            // Not asked for: no installation is named.
            case .tokenReceived(let token): keep(token)
            case .tokenRejected: keep(nil)
            case .established(let session): newSession = session
            case .stanzas(let elements): inbox.append(.stanzas(elements))
            case .unreadable(let element): inbox.append(.unreadable(element))
            case .element(let element): inbox.append(.element(element))
            case .acknowledged(let numbers): acknowledged(numbers)
            case .notSent(let number): failSending(number, .notConnected)
            case .tooLarge(let number, let byteCount):
                failSending(number, .tooLarge(byteCount: byteCount, limit: serverLimits.stanzaBytes))
            case .ended(let end): streamEnded(end)
            }
        }
        // After the loop: what the machine sends again comes before anything that waits here.
        if let session = newSession {
            newSession = nil
            established(session)
        }
        if !outbox.isEmpty { outboxFilled.send() }
        if streamEnd != nil, !isHandlingInput { streamOver.open() }
        if let over = probeOver, stream?.isProbing != true {
            probeOver = nil
            over.open()
        }
        rearm()
        if !isHandlingInput { flushEvents() }
    }

    private func readyToRegister(_ features: StreamFeatures) {
        guard purpose == .registration else { return }
        phase = .registering(features)
        emit(.readyToRegister)
        show(.connecting(.registering))
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

    /// The token for the next login is another one, or there is none any more.
    private func keep(_ token: FASTToken?) {
        fastToken = token
        save { store in await store.saveToken(token) }
    }

    /// Outside of the session's jobs: a token that the server has given out must be saved even if the session ends in this
    /// moment. The end waits for it.
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
        unsaved.acknowledged += numbers
        unsaved.isDue = true
    }

    func reportAcknowledged(_ numbers: [StanzaToken]) {
        for number in numbers {
            guard let token = ledger.close(number) else { continue }
            token.advance(to: .acknowledged)
            emit(.acknowledged(token))
        }
    }

    func failSending(_ number: StanzaToken, _ error: ClientError) {
        guard let token = ledger.close(number) else { return }
        token.fail(error)
        emit(.sendingFailed(token, error))
    }

    // MARK: Time

    /// Finds out whether the machine has slept since the last time.
    private func noticeSleep(_ now: ContinuousClock.Instant) {
        if let awake = clock.awake?() { act(schedule.clocksRead(now: now, awake: awake)) }
    }

    /// Wakes the timekeeper if something is due earlier than it thinks.
    func rearm() {
        guard let next = nextDeadline else { return }
        if armedDeadline.map({ next < $0 }) ?? true { nearerDeadline.send() }
    }

    private var nextDeadline: ContinuousClock.Instant? {
        let deadlines = [stream?.nextDeadline ?? nil, requests.nextDeadline, schedule.nextDeadline]
        return deadlines.compactMap(\.self).min()
    }

    /// Tells the machine and the requests that time passes, as long as the session lives.
    func keepTime() async {
        while !Task.isCancelled {
            armedDeadline = nextDeadline
            noticeSleep(clock.now())
            await clock.wait(until: armedDeadline, or: nearerDeadline)
            let now = clock.now()
            if let armedDeadline, armedDeadline <= now { counted.wakeUps += 1 }
            noticeSleep(now)
            perform(stream?.timerFired(now: now))
            act(schedule.deadlinePassed(now: now))
            for reply in requests.deadlinePassed(now: now) {
                reply.fulfil(.failure(ClientError(.timedOut, "There was no answer in time.")))
            }
        }
    }
}
