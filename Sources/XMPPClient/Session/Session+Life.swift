import SASLMechanisms
import TransportLayer
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
        try requireOrder()
        for instance in extensionTable.instances { try plug(instance) }
    }

    /// Runs the session: connects when it may, reconnects, works, and ends when requested or when it cannot continue.
    ///
    /// A session spends most of its time waiting, so the functions that wait are small and what they call is not inlined: their
    /// variables are in memory meanwhile.
    func live() async {
        if case .wait = machine.nextStep() {
            await connectionWanted.wait()
            if closeWanted.isOpen { return await end(nil) }
        }
        if let error = await begin() { return await end(error) }
        await end(await connectUntilTheEnd())
    }

    /// Loads what an earlier process has stored, and starts to work.
    ///
    /// - Returns: The reason if the session ends without having worked.
    @inline(never)
    private func begin() async -> ClientError?? {
        if case .end(let error) = machine.nextStep() { return .some(error) }
        do throws(ClientError) {
            let saved = try await loadSaved()
            perform(machine.begin(resuming: saved, now: clock.now()))
        } catch {
            return error
        }
        alarm = Alarm()
        noticeSleep(clock.now())
        rearm()
        if let monitor = configuration.networkMonitor { spawn { await self.watchNetwork(monitor) } }
        for entry in extensionTable.all { begin(entry) }
        isLiving = true
        closeIfWanted()
        return nil
    }

    /// Connects as the machine decides until the session is over; returns the reason, `nil` for an intended end.
    @inline(never)
    private func connectUntilTheEnd() async -> ClientError? {
        while true {
            switch nextStep() {
            case .wait: await lifeChanged.wait()
            // The secret of a component is for the host of its settings only.
            case .connect(let place): await connect(at: purpose == .component ? .usual : place)
            case .end(let error): return error
            }
        }
    }

    @inline(never)
    private func nextStep() -> SessionMachine.Step { machine.nextStep() }

    /// Closes the stream if the end was requested; called at the beginning and with each request.
    func closeIfWanted() {
        guard closeWanted.isOpen, isLiving, !isClosing else { return }
        isClosing = true
        observers.gate.forceOpen()
        takeIntake()
        if suspensionWanted.isOpen, isOnline, configuration.store != nil, resumptionState != nil {
            perform(machine.closeRequested(now: clock.now()))
            let closure = TransportClosure(.broken, detail: "The session is suspended.")
            perform(stream?.transportClosed(closure, now: clock.now()))
            return
        }
        if isOnline, lastPresence?.type == .available {
            // Sent before the end, so that contacts see it at once and not only when the server gives up (RFC 6121
            // §4.5).
            _ = try? dispatch(.presence(Presence(type: .unavailable, id: newID())))
        }
        perform(machine.closeRequested(now: clock.now()))
        perform(stream?.close(now: clock.now()))
    }

    @inline(never)
    private func end(_ error: ClientError?) async {
        isLiving = false
        stopAlarm()
        await jobs.end()
        for entry in extensionTable.all { entry.work.cancel() }
        for entry in extensionTable.all { await entry.work.end() }
        let farewell = machine.end(error)
        let reason = error ?? .sessionEnded
        updateIntake()
        _ = ledger.takeHeld()
        for number in ledger.numbers {
            // After a wanted end the unavailable presence is not missed.
            if error == nil, case .presence? = ledger[number]?.stanza { continue }
            failSending(number, because: reason)
        }
        for reply in requests.withdrawAll() { reply.fulfil(.failure(reason)) }
        settleRetired()
        for token in ledger.alive() { token.settle() }
        perform(farewell)
        flushEvents()
        for instance in extensionTable.removeAll() { await instance.sessionEnded(self) }
        interceptors = []
        directories = []
        router = StanzaRouter()
        stream = nil
        await configuration.store?.sessionEnded()
        await signInSaving?.value
        observers.finish()
        outboxHasRoom.send()
        probeOver?.open()
        firstOnline.open()
        ended.open()
    }
}

// MARK: - Actions of the machine

extension Session {
    /// Performs the actions of the session machine in order.
    @inline(never)
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
        starts.sessionBegan(extensionTable.instances)
    }

    /// Sends the waiting stanzas and starts the extensions.
    func start(isFirst: Bool) {
        for (stanza, number) in ledger.takeHeld() { submit(stanza, number) }
        if let transport = connection.transport { spawn { await transport.negotiationFinished() } }
        let round = starts.begin(extensionTable.instances)
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
    private func watchNetwork(_ monitor: any NetworkMonitor) async {
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

    /// Detects whether the computer has slept since the last alarm.
    private func noticeSleep(_ now: ContinuousClock.Instant) {
        if let awake = clock.awake?() { perform(machine.clocksRead(now: now, awake: awake)) }
    }

    /// Sets the alarm to the next deadline, unless it is set to an earlier time already.
    func rearm() {
        guard let alarm, let next = nextDeadline, alarm.instant.map({ next < $0 }) ?? true else { return }
        stopAlarm()
        let number = alarm.number + 1
        let ring: @Sendable () -> Void = { [weak self] in
            self?.assumeIsolated { if $0.alarm?.number == number { $0.timePassed() } }
        }
        if let schedule = clock.schedule {
            let loop = loop
            schedule(next) { loop.execute(ring) }
            self.alarm = Alarm(number: number, instant: next)
        } else {
            self.alarm = Alarm(number: number, instant: next, timer: loop.state.schedule(at: next, ring))
        }
    }

    private func stopAlarm() {
        if let timer = alarm?.timer { loop.state.cancelTimer(timer) }
        alarm = nil
    }

    private var nextDeadline: ContinuousClock.Instant? {
        earliest(earliest(stream?.nextDeadline ?? nil, requests.nextDeadline), machine.nextDeadline)
    }

    private func earliest(
        _ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?
    ) -> ContinuousClock.Instant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// Reports the time to the machines and the requests.
    private func timePassed() {
        guard let number = alarm?.number else { return }
        alarm = Alarm(number: number)
        let now = clock.now()
        counted.wakeUps += 1
        noticeSleep(now)
        perform(stream?.timerFired(now: now))
        perform(machine.deadlinePassed(now: now))
        for reply in requests.deadlinePassed(now: now) {
            reply.fulfil(.failure(ClientError(.timedOut, "There was no answer in time.")))
        }
        rearm()
    }
}

/// The time at which a session looks at its deadlines.
struct Alarm {
    /// Counts the settings: an earlier one that cannot be cancelled is ignored.
    var number: UInt64 = 0
    /// `nil` if there is no deadline.
    var instant: ContinuousClock.Instant?
    var timer: TimerQueue.Identifier?
}
