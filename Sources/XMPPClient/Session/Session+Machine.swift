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
            case .progress(let progress): if let event = ConnectionEvent(progress) { emit(event) }
            case .readyToRegister(let features): readyToRegister(features)
            case .resourceConflict(let resource): resourceIsTaken(resource)
            case .established(let session): newSession = session
            case .stanzas(let elements): inbox.append(.stanzas(elements))
            case .element(let element): inbox.append(.element(element))
            case .acknowledged(let numbers): acknowledged(numbers)
            case .notSent(let number): failSending(number, .notConnected)
            case .ended(let end): streamEnded(end)
            }
        }
        // After the loop: what the machine sends again comes before anything that waits here.
        if let session = newSession {
            newSession = nil
            established(session)
        }
        if !outbox.isEmpty { outboxBell.ring() }
        if streamEnd != nil, !isHandlingInput { streamOver.open() }
        rearm()
        if !isHandlingInput { flushEvents() }
    }

    /// From this moment on nothing can be sent, and what is sent waits if the session will go on.
    private func streamEnded(_ end: StreamEnd) {
        streamEnd = end
        if case .online = phase {
            let goesOn = end.resumption != nil && !closeWanted.isOpen && isWorthRetrying(end)
            phase = goesOn && configuration.reconnection.attempts > 0 ? .resuming : .offline
        }
    }

    private func readyToRegister(_ features: StreamFeatures) {
        guard purpose == .registration else { return }
        phase = .registering(features)
        emit(.readyToRegister)
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

    private func useResource(_ resource: String?) {
        perform(stream?.useResource(resource, now: clock.now()))
    }

    private func acknowledged(_ numbers: [StanzaToken]) {
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

    /// Wakes the timekeeper if something is due earlier than it thinks.
    func rearm() {
        guard let next = nextDeadline else { return }
        if armedDeadline.map({ next < $0 }) ?? true { alarm.ring() }
    }

    private var nextDeadline: ContinuousClock.Instant? {
        let deadlines = [stream?.nextDeadline ?? nil, requests.nextDeadline]
        return deadlines.compactMap(\.self).min()
    }

    /// Tells the machine and the requests that time passes, as long as the session lives.
    func keepTime() async {
        while !Task.isCancelled {
            armedDeadline = nextDeadline
            await alarm.sleep(until: armedDeadline, clock: clock)
            let now = clock.now()
            perform(stream?.timerFired(now: now))
            for reply in requests.deadlinePassed(now: now) {
                reply.fill(.failure(ClientError(.timedOut, "There was no answer in time.")))
            }
        }
    }
}
