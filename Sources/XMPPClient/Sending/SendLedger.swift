import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// The tokens of a session: by the number of the stream machine until the server has acknowledged the stanza, and by
/// stanza id while the token is referenced, so that a receipt finds it.
///
/// A token that is not referenced costs one place in an array: it gets an entry by its id only when it is looked for while it is
/// open, or if it is still referenced when it is closed.
///
/// It is used on the executor of its session only.
final class SendLedger {
    private struct Weak {
        weak var token: SendToken?
    }

    /// More than a session can send, and so far from the largest number that counting on cannot overflow.
    private static let highestNumber = UInt64.max / 2

    /// The last number that was assigned.
    private var last: UInt64 = 0
    /// The open tokens by their numbers, which are consecutive: the first one has the number `first`. A closed one is `nil`.
    private var open: [SendToken?] = []
    private var first: UInt64 = 1
    /// The number of closed tokens at the beginning of `open` that were not removed yet.
    private var head = 0
    /// The open tokens of an earlier process.
    private var restored: [StanzaToken: SendToken] = [:]
    private var byID: [String: Weak] = [:]
    /// The messages up to this number are findable by their ids.
    private var indexed: UInt64 = 0
    private var sweepAt = 1024
    /// The stanzas that wait for the next connection of the same session, in the order of sending.
    private var held: [(stanza: AnyStanza, number: StanzaToken)] = []

    /// Adds a token and assigns the number that the machine uses for it.
    func enter(_ token: SendToken) -> StanzaToken {
        last += 1
        // As in ``Session/emit(_:)``, what is changed is not in the property meanwhile.
        var all = exchange(&open, with: [])
        all.append(token)
        open = all
        return StanzaToken(last)
    }

    /// Adds tokens in their order; returns the number of the first one, which the others follow.
    func enter(contentsOf tokens: [SendToken]) -> StanzaToken {
        defer { last += UInt64(tokens.count) }
        var all = exchange(&open, with: [])
        all.append(contentsOf: tokens)
        open = all
        return StanzaToken(last + 1)
    }

    /// Numbers that were assigned together.
    static func numbers(from first: StanzaToken, _ count: Int) -> some Collection<StanzaToken> {
        (0..<UInt64(count)).lazy.map { StanzaToken(first.rawValue + $0) }
    }

    /// Enters a stanza that an earlier process sent, under the number it had there. Called before the first stanza is sent.
    func restore(_ stanza: UnacknowledgedStanza) {
        precondition(open.isEmpty, "stanzas of an earlier process are entered before those of this one")
        // A larger number was not assigned by a ledger: the store is damaged.
        guard stanza.token.rawValue <= Self.highestNumber else { return }
        if stanza.token.rawValue > last {
            last = stanza.token.rawValue
            (first, indexed) = (last + 1, last)
        }
        guard let element = try? stanza.element(), let sent = try? AnyStanza(element) else { return }
        let token = SendToken(stanza: sent)
        token.advance(to: .written)
        restored[stanza.token] = token
        index(token)
    }

    /// Makes the token of a message findable by the id of its stanza.
    private func index(_ token: SendToken) {
        guard case .message(let message) = token.stanza, let id = message.id else { return }
        // Tokens that are no longer referenced are swept when the table has doubled, so entering stays cheap on
        // average.
        if byID.count >= sweepAt {
            byID = byID.filter { $0.value.token != nil }
            sweepAt = max(1024, byID.count * 2)
        }
        byID[id] = Weak(token: token)
    }

    /// Makes all open messages findable by their ids; each is looked at once.
    private func indexOpen() {
        guard indexed < last else { return }
        let start = max(indexed + 1, first + UInt64(head))
        indexed = last
        guard start <= last else { return }
        for token in open[Int(start - first)...] {
            if let token { index(token) }
        }
    }

    /// The token of a message, if it is still referenced or open.
    func token(stanzaID: String) -> SendToken? {
        indexOpen()
        return byID[stanzaID]?.token
    }

    private func place(of number: StanzaToken) -> Int? {
        guard number.rawValue >= first, number.rawValue <= last else { return nil }
        return Int(number.rawValue - first)
    }

    subscript(number: StanzaToken) -> SendToken? { place(of: number).map { open[$0] } ?? restored[number] }

    /// Removes a token from those that wait for the server.
    func close(_ number: StanzaToken) -> SendToken? {
        guard let place = place(of: number) else { return restored.removeValue(forKey: number) }
        let token = open[place]
        open[place] = nil
        while head < open.count, open[head] == nil { head += 1 }
        // Moving the rest down only when it is the smaller part keeps closing cheap on average.
        if head >= open.count - head {
            var rest = exchange(&open, with: [])
            rest.removeFirst(head)
            open = rest
            first += UInt64(head)
            head = 0
        }
        return token
    }

    /// Makes a closed token findable by the id of its stanza if it is referenced: a receipt may still come.
    func remember(_ token: inout SendToken) {
        if !isKnownUniquelyReferenced(&token) { index(token) }
    }

    /// Makes a written token findable by the id of its stanza.
    func remember(_ token: SendToken) { index(token) }

    /// The numbers that wait for the server, in the order of sending.
    var numbers: [StanzaToken] {
        restored.keys.sorted() + open.indices.filter { self.open[$0] != nil }.map { StanzaToken(first + UInt64($0)) }
    }

    /// The tokens of all messages that are still referenced or open.
    func alive() -> [SendToken] {
        indexOpen()
        return byID.values.compactMap(\.token)
    }

    // MARK: Waiting for a connection

    var heldCount: Int { held.count }

    func hold(_ stanza: AnyStanza, _ token: SendToken) { held.append((stanza, enter(token))) }

    /// Removes and returns all waiting stanzas, because they can be sent now or never will be.
    func takeHeld() -> [(stanza: AnyStanza, number: StanzaToken)] {
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
    /// same address. An encrypted message counts as a text; it has no body if no receiver needs one.
    ///
    /// - Parameter confirmed: numbers that the server has confirmed and that have not been reported yet.
    func lose(except confirmed: Set<StanzaToken>) -> (sent: [StanzaToken], held: [StanzaToken]) {
        let waiting = Set(held.map(\.number))
        let sent = numbers.filter { !waiting.contains($0) && !confirmed.contains($0) }
        let receivers = Set(sent.compactMap { self[$0].flatMap { Self.receiverOfText($0.stanza) } })
        let isLost = { (stanza: AnyStanza) in Self.receiverOfText(stanza).map(receivers.contains) ?? false }
        let overtaking = held.filter { isLost($0.stanza) }.map(\.number)
        held.removeAll { isLost($0.stanza) }
        return (sent, overtaking)
    }

    private static func receiverOfText(_ stanza: AnyStanza) -> JID? {
        guard case .message(let message) = stanza,
            message.body != nil || message.payloads.contains(where: { $0.name == encryptionHint })
        else { return nil }
        return message.to?.bare
    }

    /// Says that a message is encrypted (XEP-0380 §3).
    private static let encryptionHint = XMLName("encryption", "urn:xmpp:eme:0")
}

/// Generates the ids of one session: a random part, so that two sessions never use the same, and a counter.
struct IdentifierSource {
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// Eight random characters are 40 bits, and few enough that the first million ids are stored inline; then a dash.
    private var prefix = InlineArray<9, UInt8>(repeating: UInt8(ascii: "-"))
    private var count: UInt64 = 0
    /// How many digits the count has in base 36, and from where it has one more.
    private var length = (digits: 1, limit: UInt64(36))

    init(using generator: inout some RandomNumberGenerator) {
        for index in 0..<8 { prefix[index] = Self.digits.randomElement(using: &generator) ?? UInt8(ascii: "0") }
    }

    /// The random part, a dash, and a number in base 36.
    mutating func next() -> String {
        count += 1
        if count == length.limit {
            length = (length.digits + 1, length.limit &* 36)
        }
        // Exactly as much room as is needed: a text of up to fifteen bytes needs no memory of its own then.
        return String(unsafeUninitializedCapacity: prefix.count + length.digits) { buffer in
            for index in prefix.indices { buffer.initializeElement(at: index, to: prefix[index]) }
            var rest = count
            for index in (prefix.count..<prefix.count + length.digits).reversed() {
                let digit = UInt8(truncatingIfNeeded: rest % 36)
                buffer[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                rest /= 36
            }
            return prefix.count + length.digits
        }
    }
}
