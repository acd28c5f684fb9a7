internal import Synchronization
internal import XMPPClient
internal import XMPPStanzas

/// Shows presence to the contact list before observers see it.
final class RosterPresence: StanzaInterceptor {
    private let current = Mutex<Roster?>(nil)

    var roster: Roster? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        if case .presence(let presence) = stanza { await roster?.presenceReceived(presence) }
        return .pass(stanza)
    }
}
