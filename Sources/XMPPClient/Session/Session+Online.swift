import SASLMechanisms
import TransportLayer
import XMPPStanzas
import XMPPStream

extension Session {
    /// Stanzas flow from here on.
    func established(_ session: StreamSession) {
        let isFirst = onlineCount == 0
        onlineCount += 1
        phase = .online(session)
        schedule.established(now: clock.now())
        isManaged = session.isManaged
        // A token says nothing about what else the server offers.
        if !session.usesFAST { note(SASLMechanismName(rawValue: session.mechanism)) }
        requests.ownAddress = session.address
        let previous = ownAddress ?? configuration.address
        ownAddress = session.address
        if previous != session.address { emit(.addressChanged(session.address)) }
        if configuration.store != nil {
            unsaved.isDue = true
            unsaved.unacknowledged += session.unacknowledged
        }
        if !session.isResumed {
            acquaintances.sessionBegan()
            lose(ClientError(.connectionFailed, "The connection was lost and the session could not be resumed."))
        }
        emit(.online(session.address, isResumed: session.isResumed))
        show(.online(isResumed: session.isResumed))
        let waiting = backlog
        backlog = []
        for (stanza, number) in waiting { submit(stanza, number) }
        if let transport { spawn { await transport.negotiationFinished() } }
        let extensions = extensionTable.all
        if !session.isResumed { starts.sessionBegan(extensions) }
        let round = starts.begin(extensions)
        spawn { [self] in await start(round, isFirst: isFirst) }
    }

    /// Remembers the mechanism of a login, unless it proves less than an earlier one did.
    private func note(_ mechanism: SASLMechanismName) {
        let previous = lastMechanism ?? configuration.mechanisms.previousMechanism
        guard mechanism != previous, previous?.isChannelBound != true || mechanism.isChannelBound else { return }
        lastMechanism = mechanism
        save { store in await store.saveMechanism(mechanism) }
    }
}
