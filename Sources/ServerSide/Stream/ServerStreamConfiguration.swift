public import SASLMechanisms
public import XMLStreaming
public import XMPPStream

/// The features of a server stream as data, so that tests can make it offer too little, too much or the wrong features.
public struct ServerStreamConfiguration: Sendable {
    /// How the connection is encrypted.
    public enum Encryption: Hashable, Sendable {
        /// STARTTLS (RFC 6120 §5).
        case startTLS
        /// The transport was secured on connecting (XEP-0368).
        case direct(TLSInformation)
        /// No encryption.
        case none
    }

    /// The domain of the server.
    public var domain: String
    public var encryption = Encryption.startTLS

    /// The features that the server can negotiate.
    public var supported = NegotiationPlan([
        .startTLS, .registration, .sasl, .resumption, .binding, .session, .management,
    ])
    /// The same with the short exchange: XEP-0388, XEP-0484, XEP-0386 and inline resumption.
    public static let extensible = NegotiationPlan([
        .startTLS, .registration, .sasl2, .fast, .inlineResumption, .bind2, .sasl, .resumption, .binding, .session,
        .management,
    ])
    /// The offered features: removing one simulates an attacker on the network.
    public var offered = NegotiationPlan([.startTLS, .registration, .sasl, .binding, .management])
    /// Further elements of `<stream:features/>`.
    public var extraFeatures: [XMLElement] = []
    /// Whether `<optional/>` is omitted from the session feature.
    public var requiresSession = false

    public var mechanisms: [SASLMechanismName] = [.scramSHA256, .scramSHA1]
    /// The mechanisms for which tokens are issued (XEP-0484).
    public var tokenMechanisms: [SASLMechanismName] = [.hashedToken(.sha256, binding: .tlsExporter)]
    /// Whether a login with a token gets a new one.
    public var rotatesTokens = true
    /// The features that can be enabled together with binding (XEP-0386).
    public var inlineBindFeatures = [StreamNamespace.streamManagement, "urn:xmpp:carbons:2"]
    /// The channel bindings to list (XEP-0440); nil lists none.
    public var channelBindingTypes: [String]?
    /// Whether SCRAM signs the offer (XEP-0474).
    public var signsOffer = false
    public var digests: SASLDigests
    /// Randomness for the exchange: printable ASCII without a comma.
    public var nonce: String
    public var salt: [UInt8] = Array("salt of the small server".utf8)
    public var iterations = SCRAMLimits.minimumIterations

    /// Whether `<enabled/>` promises resumption.
    public var allowsResumption = true
    /// The `max` of `<enabled/>`, in seconds.
    public var maximumSeconds: Int? = 300
    public var location: String?

    public var limits = XMLLimits.default

    public init(domain: String, digests: SASLDigests, nonce: String) {
        self.domain = domain
        self.digests = digests
        self.nonce = nonce
    }
}
