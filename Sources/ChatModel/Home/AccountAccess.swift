internal import Cryptography
internal import TransportLayer
public import XMPPAddress
internal import XMPPClient

/// How one account reaches its server: what a person has said beside the password.
public struct AccountAccess: Sendable, Hashable {
    /// The bare address.
    public let address: JID
    /// Where to connect, in place of what DNS says about the domain.
    public var host: String?
    public var port: UInt16?
    /// The connection is encrypted from its first byte on (XEP-0368).
    public var usesDirectTLS: Bool
    /// A PEM file with the authorities that vouch for the server, in place of those of the system.
    public var certificateAuthority: String?
    /// SHA-256 of certificates that the person has accepted for this account.
    public var trustedCertificates: Set<[UInt8]>

    public init(
        address: JID, host: String? = nil, port: UInt16? = nil, usesDirectTLS: Bool = false,
        certificateAuthority: String? = nil, trustedCertificates: Set<[UInt8]> = []
    ) {
        self.address = address.bare
        self.host = host
        self.port = port
        self.usesDirectTLS = usesDirectTLS
        self.certificateAuthority = certificateAuthority
        self.trustedCertificates = trustedCertificates
    }

    /// Fills in where to connect and whom to trust.
    ///
    /// - Parameters:
    ///   - trusted: certificates that are accepted for now beside those that are kept.
    ///   - question: asked about other certificates that nobody vouches for; without it they are refused.
    func apply(
        to configuration: inout ClientConfiguration, trusted: Set<[UInt8]> = [], asking question: TrustPolicy.Question?
    ) {
        configuration.host = host
        configuration.port = port
        if usesDirectTLS { configuration.encryption = .directTLS }
        let accepted = trustedCertificates.union(trusted)
        let anchors = certificateAuthority.map { TrustPolicy.Anchors.file($0) } ?? .system
        if accepted.isEmpty, question == nil {
            configuration.trust = certificateAuthority.map { .certificateAuthority($0) } ?? .system
        } else {
            configuration.trust = .ask(anchors: anchors) { evaluation in
                if let leaf = evaluation.certificates.first, accepted.contains(leaf.sha256Fingerprint) { return true }
                return await question?(evaluation) ?? false
            }
        }
    }
}

/// What a person must give before an account can go online again.
public enum AccountNeed: Sendable, Hashable {
    /// There is no password, or the server does not accept the one that is kept.
    case password(isRejected: Bool)
    /// The server shows a certificate that is not trusted, for this reason.
    case certificate(String)
    /// The server offers only weaker ways to sign in than before; signing in again accepts that.
    case downgrade
}
