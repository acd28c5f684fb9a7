import XMPPAddress
import XMPPStanzas
import XMPPStream

extension Session {
    /// How many times in a row a server may send a client elsewhere (RFC 6120 §4.9.3.19 warns of loops).
    private static let redirectLimit = 3

    /// Lives: connects, reconnects, works, and ends when it is asked to or cannot go on.
    func live() async {
        do throws(ClientError) {
            try prepare()
        } catch {
            return await end(error)
        }
        let extensions = extensionTable.all
        let error = await withDiscardingTaskGroup(returning: ClientError?.self) { group in
            group.addTask { await self.superviseJobs() }
            group.addTask { await self.keepTime() }
            group.addTask { await self.closeWhenWanted() }
            for instance in extensions { group.addTask { await instance.run(in: self) } }
            let error = await connectRepeatedly()
            group.cancelAll()
            return error
        }
        await end(error)
    }

    /// Makes the extensions and registers what they handle.
    private func prepare() throws(ClientError) {
        try configuration.validate()
        interceptors = configuration.interceptors
        guard purpose == .login else { return }
        for factory in configuration.extensions { extensionTable.add(factory.make(self)) }
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
        perform(stream?.close(now: clock.now()))
    }

    /// Connects until the end is wanted or there is no sense in trying again; returns the reason, `nil` for a wanted
    /// end.
    private func connectRepeatedly() async -> ClientError? {
        var resumption = configuration.resumption
        var place: StreamError.Host?
        var attempt = 0
        var redirects = 0
        while !closeWanted.isOpen {
            let before = onlineCount
            let end = await connect(resuming: resumption, at: place ?? resumption?.location.flatMap { .init($0) })
            if onlineCount > before { (attempt, redirects) = (0, 0) }
            resumption = end.resumption
            place = nil
            let error = describe(end)
            phase = resumption == nil ? .offline : .resuming
            if resumption == nil, end.reason != .requested { lose(error ?? .notConnected) }

            var pause: Duration?
            if !closeWanted.isOpen, end.reason != .requested {
                if let other = end.failure?.streamError?.otherHost, redirects < Self.redirectLimit {
                    (place, redirects, pause) = (other, redirects + 1, .zero)
                } else if end.failure?.code == .resumptionTimedOut {
                    pause = .zero
                } else if onlineCount > 0, isWorthRetrying(end) {
                    attempt += 1
                    pause = configuration.reconnection.pause(beforeAttempt: attempt, chance: .random(in: 0...1))
                }
            }
            guard let pause else { return end.reason == .requested ? nil : error }
            emit(.disconnected(error, retryAfter: pause))
            flushEvents()
            await waitUnlessClosing(pause)
        }
        return nil
    }

    private func waitUnlessClosing(_ pause: Duration) async {
        guard pause > .zero else { return }
        let instant = clock.now().advanced(by: pause)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [clock] in await clock.sleep(instant) }
            group.addTask { [closeWanted] in await closeWanted.wait() }
            await group.next()
            group.cancelAll()
        }
    }

    /// A name that cannot be resolved is final for a first login, but after a loss it only says that the network is
    /// away.
    func isWorthRetrying(_ end: StreamEnd) -> Bool {
        switch end.reason {
        case .requested: false
        case .closedByServer: true
        case .failed(let failure): failure.category == .connection
        }
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
        let keptIDs = Set(backlog.compactMap(\.stanza.id))
        for reply in requests.withdrawAll(where: { !keptIDs.contains($0) }) { reply.fill(.failure(error)) }
        let keptNumbers = Set(backlog.map(\.number))
        for number in ledger.numbers where !keptNumbers.contains(number) { failSending(number, because: error) }
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
        for reply in requests.withdrawAll() { reply.fill(.failure(reason)) }
        for token in ledger.alive { token.settle() }
        emit(.disconnected(error, retryAfter: nil))
        flushEvents()
        for instance in extensionTable.removeAll() { await instance.sessionEnded(self) }
        interceptors = []
        router = StanzaRouter()
        stream = nil
        observers.finish()
        jobs.continuation.finish()
        roomBell.ring()
        firstOnline.open()
        ended.open()
    }
}
