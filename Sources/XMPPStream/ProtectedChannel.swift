public import SASLMechanisms

/// Proof that a stream may authenticate: the states of the negotiation after encryption can only be built from it.
struct ProtectedChannel: Sendable {
    /// Nil only where tests allowed plain text, and for a component.
    let tls: TLSInformation?

    /// TLS is established, and the owner accepted the certificate.
    init(securedBy tls: TLSInformation) { self.tls = tls }

    /// Plain text, if the policy names it; nil otherwise.
    init?(plaintextAllowedBy policy: TLSPolicy) {
        switch policy {
        case .plaintextAllowedForTestsOnly: tls = nil
        case .required, .directTLS: return nil
        }
    }

    private init() { tls = nil }

    /// The network between a component and its server, which the owner trusts: XEP-0114 has no encryption.
    static let trustedNetwork = ProtectedChannel()

    var saslSecurity: SASLConnectionSecurity {
        switch tls?.version {
        case nil: .clear
        case .tls12: .tls12(bindings: tls?.channelBindings ?? [])
        case .tls13: .tls13(bindings: tls?.channelBindings ?? [])
        }
    }
}

/// The properties of a TLS connection after its handshake.
public struct TLSInformation: Hashable, Sendable {
    public enum Version: String, Hashable, Sendable {
        case tls12 = "TLSv1.2"
        case tls13 = "TLSv1.3"
    }

    public let version: Version

    /// The available channel bindings of this connection (RFC 5929, RFC 9266), each with its data.
    public let channelBindings: [ChannelBinding]

    /// The name of the cipher suite, for people.
    public let cipherSuite: String?

    public init(version: Version, channelBindings: [ChannelBinding] = [], cipherSuite: String? = nil) {
        self.version = version
        self.channelBindings = channelBindings
        self.cipherSuite = cipherSuite
    }
}
