import XMPPAddress
import XMPPStanzas
import XMPPStream

extension Session {
    /// Lives: connects, reconnects, works, and ends when it is asked to or cannot go on.
    func live() async {
        if let preparationFailure { return await end(preparationFailure) }
        do throws(ClientError) {
            try await loadSaved()
        } catch {
            return await end(error)
        }
        let extensions = extensionTable.all
        let error = await withDiscardingTaskGroup(returning: ClientError?.self) { group in
            group.addTask { await self.superviseJobs() }
            group.addTask { await self.keepTime() }
            group.addTask { await self.closeWhenWanted() }
            group.addTask { await self.watchNetwork() }
            for instance in extensions { group.addTask { await instance.run(in: self) } }
            let error = await connectRepeatedly()
            group.cancelAll()
            return error
        }
        await end(error)
    }

    /// Makes the extensions and registers what they handle; before ``live()``, which ends at once where this failed.
    func prepare() {
        do throws(ClientError) {
            try configuration.validate()
            try makeExtensions()
        } catch {
            preparationFailure = error
        }
    }

    private func makeExtensions() throws(ClientError) {
        interceptors = configuration.interceptors
        guard purpose == .login else { return }
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
        if isOnline, lastPresence?.type == .available {
            // Said before the end, so that contacts see it at once and not when the server has given up (RFC 6121
            // §4.5).
            _ = try? dispatch(.presence(Presence(type: .unavailable, id: identifiers.next())))
        }
        act(schedule.close())
        perform(stream?.close(now: clock.now()))
    }

    /// Connects when and where the schedule says until it has come to its end; returns the reason, `nil` for a wanted
    /// end.
    private func connectRepeatedly() async -> ClientError? {
        act(schedule.start(location: resumption?.location, now: clock.now()))
        while !isLifeOver {
            guard let place = wantedPlace else {
                await lifeChanged.wait()
                continue
            }
            wantedPlace = nil
            if closeWanted.isOpen {
                act(schedule.disconnected(StreamEnd(reason: .requested), now: clock.now(), chance: 0))
            } else {
                settle(await connect(at: place))
            }
        }
        return unsaved.failure ?? (isGivenUp ? lastError : nil)
    }

    /// Draws the conclusions from the end of a connection, when everything it brought was handled.
    private func settle(_ end: StreamEnd) {
        let error = describe(end)
        lastError = error
        phase = resumption == nil || isLifeOver ? .offline : .resuming
        if resumption == nil, end.reason != .requested { lose(error ?? .notConnected) }
        guard !isLifeOver else { return }
        let untilNext = wantedPlace == nil ? schedule.nextDeadline.map { clock.now().duration(to: $0) } : .zero
        emit(.disconnected(error, retryAfter: max(untilNext ?? .zero, .zero)))
        showOffline()
        flushEvents()
    }

    /// The end of a stream as an error, with the events that name its kind.
    private func describe(_ end: StreamEnd) -> ClientError? {
        switch end.reason {
        case .requested: return nil
        case .closedByServer: return ClientError(.connectionFailed, "The server closed the connection.")
        case .failed(let failure):
            let error = ClientError(failure)
            if failure.code == .loginTimedOut { emit(.timedOut) }
            if failure.category == .authentication { emit(.authenticationFailed(error)) }
            if let streamError = failure.streamError { emit(.streamError(streamError)) }
            return error
        }
    }

    /// The session behind the connection is gone: nobody can answer or acknowledge any more.
    func lose(_ error: ClientError) {
        let confirmed = Set(unsaved.acknowledged)
        let waiting = Set(backlog.map(\.number))
        let lost = ledger.numbers.filter { !waiting.contains($0) && !confirmed.contains($0) }
        loseWhatFollows(lost, because: error)
        let keptIDs = Set(backlog.compactMap(\.stanza.id))
        for reply in requests.withdrawAll(where: { !keptIDs.contains($0) }) { reply.fulfil(.failure(error)) }
        for number in lost { failSending(number, because: error) }
    }

    /// What a person wrote while the connection was gone does not overtake what was lost with it: who sends that again, sends
    /// it behind. So text that waits for an address is lost together with earlier text to the same address.
    private func loseWhatFollows(_ lost: [StanzaToken], because error: ClientError) {
        var addresses: Set<JID> = []
        for number in lost {
            if case .message(let message)? = ledger[number]?.stanza, message.body != nil, let to = message.to {
                addresses.insert(to.bare)
            }
        }
        guard !addresses.isEmpty else { return }
        backlog.removeAll { stanza, number in
            guard case .message(let message) = stanza, message.body != nil, let to = message.to,
                addresses.contains(to.bare)
            else { return false }
            failSending(number, error)
            return true
        }
    }

    /// A stanza that was never written failed for the given reason; about one that was, nobody knows.
    private func failSending(_ number: StanzaToken, because error: ClientError) {
        let isWritten = ledger[number]?.stage != .queued
        failSending(number, isWritten ? .unacknowledged(because: error) : error)
    }

    private func end(_ error: ClientError?) async {
        phase = .ended(error)
        let reason = error ?? .sessionEnded
        backlog = []
        for number in ledger.numbers {
            // Nobody waits for the goodbye.
            if error == nil, case .presence? = ledger[number]?.stanza { continue }
            failSending(number, because: reason)
        }
        for reply in requests.withdrawAll() { reply.fulfil(.failure(reason)) }
        for token in ledger.alive { token.settle() }
        emit(.disconnected(error, retryAfter: nil))
        show(.offline(reason: error, nextAttempt: nil))
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
