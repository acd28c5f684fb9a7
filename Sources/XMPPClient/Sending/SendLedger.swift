import Synchronization
import XMPPStanzas
import XMPPStream

/// The tokens of a session: by the machine's number until the server has acknowledged the stanza, and by stanza id as
/// long as somebody holds the token, so that a receipt finds it.
struct SendLedger {
    private struct Weak {
        weak var token: SendToken?
    }

    private var next: UInt64 = 0
    private var open: [StanzaToken: SendToken] = [:]
    private var byID: [String: Weak] = [:]
    private var sweepAt = 1024

    /// Enters a token and gives it the number under which the machine knows it.
    mutating func enter(_ token: SendToken) -> StanzaToken {
        next += 1
        let number = StanzaToken(next)
        open[number] = token
        return number
    }

    /// Enters a stanza that an earlier process sent, under the number it had there.
    mutating func restore(_ stanza: UnacknowledgedStanza) {
        next = max(next, stanza.token.rawValue)
        guard let element = try? stanza.element(), let sent = try? AnyStanza(element) else { return }
        let token = SendToken(stanza: sent, id: sent.id ?? "")
        token.advance(to: .written)
        open[stanza.token] = token
        if case .message = sent { index(token) }
    }

    /// Makes the token findable by the id of its stanza.
    mutating func index(_ token: SendToken) {
        // Tokens that nobody holds any more are swept when the table has doubled, so entering stays cheap on average.
        if byID.count >= sweepAt {
            byID = byID.filter { $0.value.token != nil }
            sweepAt = max(1024, byID.count * 2)
        }
        byID[token.id] = Weak(token: token)
    }

    func token(stanzaID: String) -> SendToken? { byID[stanzaID]?.token }

    subscript(number: StanzaToken) -> SendToken? { open[number] }

    /// Takes a token off the list of those that wait for the server.
    mutating func close(_ number: StanzaToken) -> SendToken? { open.removeValue(forKey: number) }

    /// Those that wait for the server, in the order of sending.
    var numbers: [StanzaToken] { open.keys.sorted() }

    /// Every token that somebody may still wait for.
    var alive: [SendToken] { byID.values.compactMap(\.token) }
}
