import XMPPStanzas
import XMPPStream

// What the session does as its machine decides.
extension Session {
    /// Performs the actions of the session machine in order.
    @inline(never)
    func perform(_ actions: [SessionMachine.Action]) {
        for action in actions { perform(action) }
        settle()
    }

    /// The same, in the middle of the stream's actions.
    func carryOut(_ actions: [SessionMachine.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: SessionMachine.Action) {
        switch action {
        case .proceed: goOn()
        case .probe(let timeout): perform(stream?.probe(within: timeout, now: clock.now()))
        case .abandon(let reason):
            perform(stream?.transportClosed(TransportClosure(.broken, detail: reason.text), now: clock.now()))
        case .withdrawPresence: _ = try? dispatch(.presence(Presence(type: .unavailable, id: newID())))
        case .closeStream: perform(stream?.close(now: clock.now()))
        case .adopt(let session): adopt(session)
        case .addressChanged(let address): emit(.addressChanged(address))
        case .lose(let error): sent.lose(error, in: self)
        case .connected(let address, let isResumed): emit(.online(address, isResumed: isResumed))
        case .start: startExtensions()
        case .failed(let failure): report(failure)
        case .disconnected(let error, let pause): emit(.disconnected(error, retryAfter: pause))
        case .show(let state): emit(.stateChanged(state))
        }
    }

    /// The stream has ended, and all that was received was handled.
    func connectionIsOver() {
        connection.over.open()
        goOn()
    }

    /// Completes the actions of either machine.
    @inline(never)
    func settle() {
        // Stanzas that the stream resends precede those that waited for it.
        if machine.phase == .starting { carryOut(machine.stanzasResent()) }
        sender.updateIntake(in: self)
        if machine.isDraining, !connection.reader.isHandling { connectionIsOver() }
        if let over = probeOver, stream?.isProbing != true {
            probeOver = nil
            over.open()
        }
        if !connection.reader.isInTurn { rearm() }
        flushEventsOutsideOfReading()
    }
}
