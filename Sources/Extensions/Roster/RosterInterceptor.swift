internal import Synchronization
internal import XMPPClient
internal import XMPPStanzas

/// Passes presence and pushes to the contact list in the order of the stream, before observers see them.
final class RosterInterceptor: StanzaInterceptor {
    private let current = Mutex<Roster?>(nil)

    var roster: Roster? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        switch stanza {
        case .presence(let presence): await roster?.presenceReceived(presence)
        case .iq(let iq) where iq.isSet && iq.payload?.isNamed(RosterQuery.name) == true: await roster?.pushReceived(iq)
        case .iq(let iq) where iq.isResult: await roster?.answered(iq)
        case .iq, .message: break
        }
        return .pass(stanza)
    }
}
