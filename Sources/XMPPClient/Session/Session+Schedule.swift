import TransportLayer
import Waiting
import XMPPStream

extension Session {
    /// Connects at once if the session is offline, however long the pause would still be; if it is online, asks the
    /// server for a sign of life and connects anew if there is none. A session that has ended stays ended.
    public func reconnectNow() {
        act(schedule.connectNow(now: clock.now()))
    }

    /// Asks the server for a sign of life (XEP-0198 §4, or XEP-0199 without stream management).
    ///
    /// - Parameter patience: How long the answer may take; by default what the reconnection policy says.
    /// - Returns: Whether the connection lives. If not, the session makes it anew by its own rules.
    /// - Throws: ``ClientError`` with `notConnected` if the session is not online, `cancelled`.
    @discardableResult
    public func probe(within patience: Duration? = nil) async throws(ClientError) -> Bool {
        guard isOnline else { throw .notConnected }
        let connection = onlineCount
        let over = probeOver ?? Gate()
        probeOver = over
        perform(stream?.probe(within: patience ?? configuration.reconnection.probePatience, now: clock.now()))
        await over.wait()
        guard over.isOpen else { throw .cancelled }
        return isOnline && onlineCount == connection
    }

    /// Does what the schedule asks for.
    func act(_ action: ReconnectionSchedule.Action) {
        switch action {
        case .none: break
        case .attempt(let place):
            wantedPlace = place
            lifeChanged.send()
        case .pause, .awaitNetwork:
            // While a stream is still being finished its end is not yet told.
            if stream == nil { showOffline() }
        case .probe(let patience): perform(stream?.probe(within: patience, now: clock.now()))
        case .abandon:
            let closure = TransportClosure(.broken, detail: "The network has changed.")
            perform(stream?.transportClosed(closure, now: clock.now()))
        case .giveUp, .finish:
            isLifeOver = true
            isGivenUp = action == .giveUp
            lifeChanged.send()
        }
        rearm()
        if !isHandlingInput { flushEvents() }
    }

    /// Lets the schedule know of the network, as long as the session lives.
    func watchNetwork() async {
        guard let monitor = configuration.networkMonitor else { return }
        for await change in monitor.changes() {
            counted.wakeUps += 1
            switch change {
            case .unavailable: act(schedule.networkChanged(isAvailable: false, now: clock.now()))
            case .available, .changed:
                keepAlivePace?.networkChanged()
                stream?.networkChanged()
                act(schedule.networkChanged(isAvailable: true, now: clock.now()))
            }
        }
    }

    /// The stream is over: nothing can be sent any more, and what is sent waits if the session will go on.
    func streamEnded(_ end: StreamEnd) {
        let end = withoutSuspect(end)
        streamEnd = end
        act(schedule.disconnected(end, now: clock.now(), chance: .random(in: 0...1)))
        if case .online = phase { phase = end.resumption != nil && !isLifeOver ? .resuming : .offline }
    }

    /// Gives up the message because of which the server ended the stream more than once, and with it the session, which
    /// would repeat it.
    private func withoutSuspect(_ end: StreamEnd) -> StreamEnd {
        guard isOnline, let failure = end.failure, failure.objectsToOurStanza else { return end }
        // Requests fail with the session, and nobody repeats them with the same id.
        let messages = end.unacknowledged.compactMap { stanza in
            ledger[stanza.token].flatMap { token in
                if case .message = token.stanza { (id: token.id, stanza: stanza) } else { nil }
            }
        }
        let candidates = messages.map { StanzaSuspicion.Candidate(id: $0.id, byteCount: $0.stanza.bytes.count) }
        guard let id = suspicion.streamRefused(candidates) else { return end }
        let refused = Set(messages.filter { $0.id == id }.map(\.stanza.token))
        let error = ClientError(
            .stanzaRefused, "The server ended the connection twice because of this, so it is not sent again.",
            cause: failure)
        for number in refused { failSending(number, error) }
        return StreamEnd(
            reason: end.reason, unacknowledged: end.unacknowledged.filter { !refused.contains($0.token) })
    }

    // MARK: What is shown

    func showOffline() {
        let next: Duration? =
            if wantedPlace != nil { .zero } else { schedule.nextAttempt.map { clock.now().duration(to: $0) } }
        show(.offline(reason: lastError, nextAttempt: next.map { max($0, .zero) }))
    }

    /// Tells the observers how the connection looks, if it looks different from before.
    func show(_ state: ConnectionState) {
        guard state != shownState else { return }
        shownState = state
        emit(.stateChanged(state))
    }

    /// Notes a step of the connection being made; steps that come out of order say nothing new.
    func show(_ progress: StreamProgress) {
        guard let step = ConnectionStep(progress) else { return }
        switch shownState {
        case .offline: show(.connecting(step))
        case .connecting(let present): if present < step { show(.connecting(step)) }
        case .online: break
        }
    }
}
