public import SASLMechanisms
public import XMLStreaming

/// The functions that a login performed in one exchange instead of one after the other; none if the server only
/// supports RFC 6120.
public struct LoginShortcuts: Hashable, Sendable {
    /// Whether XEP-0388 was used instead of the SASL profile of RFC 6120.
    public var usesSASL2 = false
    /// Whether the resource was bound together with the login (XEP-0386).
    public var bindsInline = false
    /// Whether the session was resumed together with the login (XEP-0198 §9.2).
    public var resumesInline = false
    /// Whether a token was used instead of the password (XEP-0484).
    public var usesFAST = false
    /// The namespaces of the ``BindRequest``s that were granted.
    public var inlineFeatures: Set<String> = []

    public init() {}
}

/// What a server does together with the login: the `<inline/>` of XEP-0388 §2.1.
///
///     <inline>
///       <bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:sm:3'/></inline></bind>
///       <sm xmlns='urn:xmpp:sm:3'/>
///       <fast xmlns='urn:xmpp:fast:0'><mechanism>HT-SHA-256-EXPR</mechanism></fast>
///     </inline>
public struct InlineOffer: Hashable, Codable, Sendable {
    /// Whether an earlier session can be resumed (XEP-0198 §9.2).
    public var resumes = false
    /// Whether a resource can be bound (XEP-0386).
    public var binds = false
    /// The namespaces of the functions that can be enabled together with binding.
    public var bindFeatures: Set<String> = []
    /// The mechanisms for which tokens are issued (XEP-0484); `nil` if none are.
    public var tokenMechanisms: [String]?

    /// Nothing.
    public init() {}

    /// The shortcuts offered in the features of a stream.
    public init(_ features: StreamFeatures) {
        guard let inline = features.element?.firstChild(StreamName.authentication)?.firstChild(StreamName.inline) else {
            return
        }
        resumes = inline.firstChild(StreamName.management) != nil
        if let bind = inline.firstChild(StreamName.bind2) {
            binds = true
            bindFeatures = Set(
                bind.firstChild(StreamName.bind2Inline)?.children
                    .filter { $0.isNamed(StreamName.bind2Feature) }
                    .compactMap { $0["var"] } ?? [])
        }
        tokenMechanisms = inline.firstChild(StreamName.fast)?.children
            .filter { $0.isNamed(StreamName.fastMechanism) }
            .map { $0.text.trimmingXMLWhitespace() }
    }
}

/// A function to enable together with resource binding (XEP-0386 §4.2), which saves a round trip and leaves no moment
/// in which it is disabled.
///
///     C: <bind xmlns='urn:xmpp:bind:0'><tag>Hongyan</tag><enable xmlns='urn:xmpp:carbons:2'/></bind>
public struct BindRequest: Hashable, Sendable {
    /// The namespace with which a server offers it; otherwise nothing is sent.
    public let feature: String
    /// The element to send.
    public let element: XMLElement

    public init(feature: String, element: XMLElement) {
        self.feature = feature
        self.element = element
    }
}

/// XEP-0484 Fast Authentication Streamlining Tokens: a token issued at one login to shorten the next one.
///
/// It gives access to the account like the password, so store it in the same way. The server may replace it at any
/// login; store the newest.
///
///     S: <token xmlns='urn:xmpp:fast:0' expiry='2026-03-12T14:36:15Z' token='WXZzciBwYmFmdmZnZiBqdmd1IGp2eXFhcmZm'/>
public struct FASTToken: Hashable, Codable, Sendable {
    /// The only mechanism with which the token can be used.
    public let mechanism: SASLMechanismName
    /// The secret.
    public let token: String
    /// When the token expires, in the format of XEP-0082.
    public let expiry: String?
    /// The functions that the server performs together with the login. The offer is the same at every login, so it may
    /// be remembered (XEP-0388 §2.1), and the login may be sent before the server has sent its features.
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
