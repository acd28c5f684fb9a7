import SASLMechanisms
import Waiting
import XMPPAddress
import XMPPStanzas
import XMPPStream

// MARK: - From the beginning to the end

extension Session {
    /// Creates the extensions and registers their handlers; called before ``live()``, which ends at once if this
    /// failed.
    func prepare() {
        do throws(ClientError) {
            if purpose != .component { try configuration.validate() }
            try makeExtensions()
        } catch {
            perform(machine.cannotGoOn(error))
        }
    }

    private func makeExtensions() throws(ClientError) {
        interceptors = configuration.interceptors
        guard purpose != .registration else { return }
        for factory in configuration.extensions { extensionTable.add(factory.make(self)) }
        if let cycle = ExtensionStarts.cycle(in: extensionTable.all) {
            let names = cycle.map { String(describing: type(of: $0)) }.joined(separator: ", ")
            throw ClientError(.invalidConfiguration, "These extensions wait for each other to start: \(names).")
        }
        for instance in extensionTable.all {
            for handler in instance.handlers { try router.register(handler) }
            interceptors += instance.interceptors
        }
    }

    /// Runs the session: connects when it may, reconnects, works, and ends when requested or when it cannot continue.
    func live() async {
        if case .wait = machine.nextStep() {
            await connectionWanted.wait()
            if closeWanted.isOpen { return await end(nil) }
        }
        await end(await connectRepeatedly())
    }

    /// Connects as the machine decides until the session is over; returns the reason, `nil` for an intended end.
    private func connectRepeatedly() async -> ClientError? {
        if case .end(let error) = machine.nextStep() { return error }
        do throws(ClientError) {
            let saved = try await loadSaved()
            perform(machine.begin(resuming: saved, now: clock.now()))
        } catch {
            return error
        }
        let extensions = extensionTable.all
        return await withDiscardingTaskGroup(returning: ClientError?.self) { group in
            group.addTask { await self.superviseJobs() }
            group.addTask { await self.keepTime() }
            group.addTask { await self.closeWhenWanted() }
            group.addTask { await self.watchNetwork() }
            for instance in extensions { group.addTask { await instance.run(in: self) } }
            defer { group.cancelAll() }
            while true {
                switch machine.nextStep() {
                case .wait: await lifeChanged.wait()
                // The secret of a component is for the host of its settings only.
                case .connect(let place): await connect(at: purpose == .component ? .usual : place)
                case .end(let error): return error
                }
            }
        }
    }

    private nonisolated func superviseJobs() async {
        await withDiscardingTaskGroup { group in
            for await job in jobs.stream { group.addTask(operation: job) }
            group.cancelAll()
        }
    }

    private func closeWhenWanted() async {
        await closeWanted.wait()
        guard closeWanted.isOpen else { return }
        observers.gate.forceOpen()
        if suspensionWanted.isOpen, isOnline, configuration.store != nil, resumptionState != nil {
            perform(machine.closeRequested(now: clock.now()))
            let closure = TransportClosure(.broken, detail: "The session is suspended.")
            perform(stream?.transportClosed(closure, now: clock.now()))
            return
        }
        if isOnline, lastPresence?.type == .available {
            // Sent before the end, so that contacts see it at once and not only when the server gives up (RFC 6121
            // §4.5).
            _ = try? dispatch(.presence(Presence(type: .unavailable, id: identifiers.next())))
        }
        perform(machine.closeRequested(now: clock.now()))
        perform(stream?.close(now: clock.now()))
    }

    private func end(_ error: ClientError?) async {
        let farewell = machine.end(error)
        let reason = error ?? .sessionEnded
        _ = ledger.takeHeld()
        for number in ledger.numbers {
            // After a wanted end the unavailable presence is not missed.
            if error == nil, case .presence? = ledger[number]?.stanza { continue }
            failSending(number, because: reason)
        }
        for reply in requests.withdrawAll() { reply.fulfil(.failure(reason)) }
        for token in ledger.alive() { token.settle() }
        perform(farewell)
        flushEvents()
        for instance in extensionTable.removeAll() { await instance.sessionEnded(self) }
        interceptors = []
        router = StanzaRouter()
        stream = nil
        await configuration.store?.sessionEnded()
        await signInSaving?.value
        observers.finish()
        jobs.continuation.finish()
        outboxHasRoom.send()
        probeOver?.open()
        firstOnline.open()
        ended.open()
    }
}

// MARK: - Actions of the machine

extension Session {
    /// Performs the actions of the session machine in order.
    func perform(_ actions: [SessionMachine.Action]) {
        carryOut(actions)
        settle()
    }

    /// The same, in the middle of the stream's actions.
    func carryOut(_ actions: [SessionMachine.Action]) {
        for action in actions {
            switch action {
            case .proceed: lifeChanged.send()
            case .probe(let timeout): perform(stream?.probe(within: timeout, now: clock.now()))
            case .abandon:
                let closure = TransportClosure(.broken, detail: "The network has changed.")
                perform(stream?.transportClosed(closure, now: clock.now()))
            case .adopt(let session): adopt(session)
            case .lose(let error): lose(error)
            case .connected(let address, let isResumed): emit(.online(address, isResumed: isResumed))
            case .start(let isFirst): connection.startDue = isFirst
            case .failed(let failure): report(failure)
            case .disconnected(let error, let pause): emit(.disconnected(error, retryAfter: pause))
            case .show(let state): emit(.stateChanged(state))
            }
        }
    }

    private func report(_ failure: StreamFailure) {
        if failure.code == .loginTimedOut { emit(.timedOut) }
        if failure.category == .authentication { emit(.authenticationFailed(ClientError(failure))) }
        if let streamError = failure.streamError { emit(.streamError(streamError)) }
    }

    /// Applies the negotiated settings.
    private func adopt(_ session: StreamSession) {
        connection.isManaged = session.isManaged
        // A login with a token does not show what else the server offers.
        if !session.usesFAST, purpose == .login {
            let mechanism = SASLMechanismName(rawValue: session.mechanism)
            if memory.note(mechanism, after: configuration.mechanisms.previousMechanism) {
                save { store in await store.saveMechanism(mechanism) }
            }
        }
        requests.ownAddress = session.address
        let previous = ownAddress ?? configuration.address
        ownAddress = session.address
        if previous != session.address { emit(.addressChanged(session.address)) }
        if configuration.store != nil {
            saving.changed()
            saving.left(session.unacknowledged)
        }
        guard !session.isResumed else { return }
        serverSessionCount += 1
        acquaintances.sessionBegan()
        starts.sessionBegan(extensionTable.all)
    }

    /// Sends the waiting stanzas and starts the extensions.
    func start(isFirst: Bool) {
        for (stanza, number) in ledger.takeHeld() { submit(stanza, number) }
        if let transport = connection.transport { spawn { await transport.negotiationFinished() } }
        let round = starts.begin(extensionTable.all)
        spawn { [self] in await start(round, isFirst: isFirst) }
    }

    /// The session was lost: no response or acknowledgement can arrive any more.
    private func lose(_ error: ClientError) {
        let (sent, held) = ledger.lose(except: Set(saving.acknowledged))
        for number in held { failSending(number, error) }
        let heldIDs = ledger.heldIDs
        for reply in requests.withdrawAll(where: { !heldIDs.contains($0) }) { reply.fulfil(.failure(error)) }
        for number in sent { failSending(number, because: error) }
    }

    /// A stanza that was never written failed for the given reason; for one that was written, the outcome is unknown.
    private func failSending(_ number: StanzaToken, because error: ClientError) {
        let isWritten = ledger[number]?.stage != .queued
        failSending(number, isWritten ? .unacknowledged(because: error) : error)
    }

    func failSending(_ number: StanzaToken, _ error: ClientError) {
        guard var token = ledger.close(number) else { return }
        token.fail(error)
        emit(.sendingFailed(token, error))
        ledger.remember(&token)
    }
}

// MARK: - Network and time

extension Session {
    /// Connects at once if the session is offline, regardless of the backoff; if it is online, checks the connection,
    /// and connects again if the server does not respond. A session that has ended stays ended.
    public func reconnectNow() {
        perform(machine.connectNow(now: clock.now()))
    }

    /// Checks whether the connection is alive (XEP-0198 §4, or XEP-0199 without stream management).
    ///
    /// - Parameter timeout: The timeout for the response; by default that of the reconnection policy.
    /// - Returns: Whether the connection is alive. If not, the session connects again by its own rules.
    /// - Throws: ``ClientError`` with `notConnected` if the session is not online, `cancelled`.
    @discardableResult
    public func probe(within timeout: Duration? = nil) async throws(ClientError) -> Bool {
        guard isOnline else { throw .notConnected }
        let number = machine.connections
        let over = probeOver ?? Gate()
        probeOver = over
        perform(stream?.probe(within: timeout ?? configuration.reconnection.probeTimeout, now: clock.now()))
        await over.wait()
        guard over.isOpen else { throw .cancelled }
        return isOnline && machine.connections == number
    }

    /// Reports changes of the network to the machines until the session ends.
    private func watchNetwork() async {
        guard let monitor = configuration.networkMonitor else { return }
        for await change in monitor.changes() {
            counted.wakeUps += 1
            switch change {
            case .unavailable: perform(machine.networkChanged(isAvailable: false, now: clock.now()))
            case .available, .changed:
                memory.keepAlivePace?.networkChanged()
                stream?.networkChanged()
                perform(machine.networkChanged(isAvailable: true, now: clock.now()))
            }
        }
    }

    /// Detects whether the computer has slept since the last call.
    private func noticeSleep(_ now: ContinuousClock.Instant) {
        if let awake = clock.awake?() { perform(machine.clocksRead(now: now, awake: awake)) }
    }

    /// Wakes the timer task if there is an earlier deadline than the one it waits for.
    func rearm() {
        guard let next = nextDeadline else { return }
        if armedDeadline.map({ next < $0 }) ?? true { nearerDeadline.send() }
    }

    private var nextDeadline: ContinuousClock.Instant? {
        let deadlines = [stream?.nextDeadline ?? nil, requests.nextDeadline, machine.nextDeadline]
        return deadlines.compactMap(\.self).min()
    }

    /// Reports the time to the machines and the requests until the session ends.
    private func keepTime() async {
        while !Task.isCancelled {
            armedDeadline = nextDeadline
            noticeSleep(clock.now())
            await clock.wait(until: armedDeadline, or: nearerDeadline)
            let now = clock.now()
            if let armedDeadline, armedDeadline <= now { counted.wakeUps += 1 }
            noticeSleep(now)
            perform(stream?.timerFired(now: now))
            perform(machine.deadlinePassed(now: now))
            for reply in requests.deadlinePassed(now: now) {
                reply.fulfil(.failure(ClientError(.timedOut, "There was no answer in time.")))
            }
        }
    }
}
