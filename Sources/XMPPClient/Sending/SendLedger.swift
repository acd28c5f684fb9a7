import XMPPAddress
import XMPPStanzas
import XMPPStream

/// The tokens of a session: by the number of the stream machine until the server has acknowledged the stanza, and by
/// stanza id while the token is referenced, so that a receipt finds it.
struct SendLedger {
    private struct Weak {
        weak var token: SendToken?
    }

    private var next: UInt64 = 0
    private var open: [StanzaToken: SendToken] = [:]
    private var byID: [String: Weak] = [:]
    private var sweepAt = 1024
    /// The stanzas that wait for the next connection of the same session, in the order of sending.
    private var held: [(stanza: AnyStanza, number: StanzaToken)] = []

    /// Adds a token and assigns the number that the machine uses for it.
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

    /// Removes a token from those that wait for the server.
    mutating func close(_ number: StanzaToken) -> SendToken? { open.removeValue(forKey: number) }

    /// The numbers that wait for the server, in the order of sending.
    var numbers: [StanzaToken] { open.keys.sorted() }

    /// Every token that is still referenced.
    var alive: [SendToken] { byID.values.compactMap(\.token) }

    // MARK: Waiting for a connection

    var heldCount: Int { held.count }

    mutating func hold(_ stanza: AnyStanza, _ token: SendToken) { held.append((stanza, enter(token))) }

    /// Removes and returns all waiting stanzas, because they can be sent now or never will be.
    mutating func takeHeld() -> [(stanza: AnyStanza, number: StanzaToken)] {
        defer { held = [] }
        return held
    }

    /// The ids of the waiting stanzas, to which a response can still arrive.
    var heldIDs: Set<String> { Set(held.compactMap(\.stanza.id)) }

    /// Removes and returns the stanzas that are lost with the session: all that were passed to its connections and not
    /// confirmed.
    ///
    /// A text written while the connection was gone must not overtake a text that was lost with it, which the program
    /// will send again later. Therefore a text that waits for an address is lost together with an earlier text to the
    /// same address.
    ///
    /// - Parameter confirmed: numbers that the server has confirmed and that have not been reported yet.
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

/// Generates the ids of one session: a random part, so that two sessions never use the same, and a counter.
struct IdentifierSource {
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")

    private let prefix: String
    private var count: UInt64 = 0

    init(using generator: inout some RandomNumberGenerator) {
        // Eight characters are 40 bits, and short enough that the first million ids are stored inline.
        prefix = String((0..<8).map { _ in Self.digits.randomElement(using: &generator) ?? "0" })
    }

    mutating func next() -> String {
        count += 1
        return "\(prefix)-\(String(count, radix: 36))"
    }
}
