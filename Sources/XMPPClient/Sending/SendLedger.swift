import XMPPAddress
import XMPPStanzas
import XMPPStream

/// The tokens of a session: by the machine's number until the server has acknowledged the stanza, and by stanza id as
/// long as the token is referenced, so that a receipt finds it.
struct SendLedger {
    private struct Weak {
        weak var token: SendToken?
    }

    private var next: UInt64 = 0
    private var open: [StanzaToken: SendToken] = [:]
    private var byID: [String: Weak] = [:]
    private var sweepAt = 1024
    /// What waits for the next connection of the same session, in the order of sending.
    private var held: [(stanza: AnyStanza, number: StanzaToken)] = []

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
        // Tokens that are no longer referenced are swept when the table has doubled, so entering stays cheap on
        // average.
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

    /// Every token that is still referenced.
    var alive: [SendToken] { byID.values.compactMap(\.token) }

    // MARK: What waits for a connection

    var heldCount: Int { held.count }

    mutating func hold(_ stanza: AnyStanza, _ token: SendToken) { held.append((stanza, enter(token))) }

    /// Takes all that waits, because it can go out now or never will.
    mutating func takeHeld() -> [(stanza: AnyStanza, number: StanzaToken)] {
        defer { held = [] }
        return held
    }

    /// The identifiers of what waits: an answer to it can still come.
    var heldIDs: Set<String> { Set(held.compactMap(\.stanza.id)) }

    /// What is lost with the session: all that was given to its connections and not confirmed.
    ///
    /// What a person wrote while the connection was gone does not overtake what was lost with it: who sends that
    /// again, sends it behind. So text that waits for an address is lost together with earlier text to the same
    /// address.
    ///
    /// - Parameter confirmed: numbers that the server has confirmed, and that are still to be reported.
    mutating func lose(except confirmed: Set<StanzaToken>) -> (sent: [StanzaToken], held: [StanzaToken]) {
        let waiting = Set(held.map(\.number))
        let sent = numbers.filter { !waiting.contains($0) && !confirmed.contains($0) }
        let receivers = Set(sent.compactMap { open[$0].flatMap { Self.receiverOfText($0.stanza) } })
        let isLost = { (stanza: AnyStanza) in Self.receiverOfText(stanza).map(receivers.contains) ?? false }
        let overtaking = held.filter { isLost($0.stanza) }.map(\.number)
        held.removeAll { isLost($0.stanza) }
        return (sent, overtaking)
    }

    private static func receiverOfText(_ stanza: AnyStanza) -> JID? {
        guard case .message(let message) = stanza, message.body != nil else { return nil }
        return message.to?.bare
    }
}

/// Makes the ids of one session: a part drawn by chance, so that no two sessions share one, and a count.
struct IdentifierSource {
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")

    private let prefix: String
    private var count: UInt64 = 0

    init(using generator: inout some RandomNumberGenerator) {
        // Eight characters are 40 bits, and short enough that an id needs no memory of its own for the first million.
        prefix = String((0..<8).map { _ in Self.digits.randomElement(using: &generator) ?? "0" })
    }

    mutating func next() -> String {
        count += 1
        return "\(prefix)-\(String(count, radix: 36))"
    }
}
