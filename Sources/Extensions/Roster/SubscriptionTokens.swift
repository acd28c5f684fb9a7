public import MessagePayloads
public import XMLStreaming

/// The tokens of the invitations that a program has made without its server (XEP-0379 Pre-Authenticated Roster
/// Subscription §3.2).
///
/// A request for a subscription with a token that was issued here is accepted without a question:
///
///     let token = tokens.issue(until: nextWeek, using: &random)
///     let link = XMPPURI(own, .addContact(.init(name: "Romeo", token: token)))
///     …
///     Roster($0, admitting: { token, _ in await tokens.redeem(token) })
///
/// Each token admits one address. Store the value between processes: it is an element.
public struct SubscriptionTokens: XMLPayload, Equatable {
    public static let name = XMLName("tokens", "https://hongyan.example/cache")
    private static let tokenName = XMLName("token", name.namespace)
    /// The maximum number of open invitations; the oldest is dropped.
    static let limit = 256

    private struct Token: Sendable, Equatable {
        var text: String
        var expires: Timestamp
    }

    /// In the order in which they were issued.
    private var tokens: [Token] = []

    public init() {}

    /// The number of open invitations.
    public var count: Int { tokens.count }

    /// Makes a token that cannot be guessed: 128 random bits.
    public mutating func issue(until expires: Timestamp, using random: inout some RandomNumberGenerator) -> String {
        let text =
            String(UInt64.random(in: .min ... .max, using: &random), radix: 36)
            + String(UInt64.random(in: .min ... .max, using: &random), radix: 36)
        tokens.append(Token(text: text, expires: expires))
        if tokens.count > Self.limit { tokens.removeFirst() }
        return text
    }

    /// Whether the token was issued here and has not expired. From now on it is not valid any more.
    public mutating func redeem(_ token: String, at now: Timestamp) -> Bool {
        tokens.removeAll { $0.expires < now }
        guard let index = tokens.firstIndex(where: { $0.text == token }) else { return false }
        tokens.remove(at: index)
        return true
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        for child in element.children(Self.tokenName).prefix(Self.limit) {
            guard let expires = Timestamp(try child.required("expires")) else {
                throw XMLDecodingError(child.name, .invalidAttribute("expires", value: child["expires"] ?? ""))
            }
            tokens.append(Token(text: child.text, expires: expires))
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for token in tokens {
            writer.start(Self.tokenName)
            writer.attribute("expires", token.expires.description)
            writer.text(token.text)
            writer.end()
        }
        writer.end()
    }
}
