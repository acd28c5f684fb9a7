public import SASLMechanisms

/// XEP-0484 Fast Authentication Streamlining Tokens: what a server gave out at one login to make the next one shorter.
///
/// It opens the account as the password does, so it belongs where the password is kept. The server may replace it at any
/// login; the newest is the one to keep.
///
///     S: <token xmlns='urn:xmpp:fast:0' expiry='2026-03-12T14:36:15Z' token='WXZzciBwYmFmdmZnZiBqdmd1IGp2eXFhcmZm'/>
public struct FASTToken: Hashable, Codable, Sendable {
    /// The only mechanism that the token is good for.
    public let mechanism: SASLMechanismName
    /// The secret.
    public let token: String
    /// When the server forgets the token, in the format of XEP-0082.
    public let expiry: String?
    /// What the server does together with the login. It is offered alike at every login, so it may be remembered
    /// (XEP-0388 §2.1) and the login sent before the server has said what it offers.
    public let offer: InlineOffer

    public init(mechanism: SASLMechanismName, token: String, expiry: String? = nil, offer: InlineOffer = InlineOffer())
    {
        self.mechanism = mechanism
        self.token = token
        self.expiry = expiry
        self.offer = offer
    }
}

extension FASTToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The mechanism and the end, never the secret.
    public var description: String { "FASTToken(\(mechanism), until \(expiry ?? "an unknown time"))" }

    public var debugDescription: String { description }

    /// Empty, so that `dump` does not tell the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
