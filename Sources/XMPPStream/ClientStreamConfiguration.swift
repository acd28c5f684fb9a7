public import SASLMechanisms
public import XMLStreaming
public import XMPPAddress
import XMPPStanzas

/// The purpose and the rules of a client stream.
public struct ClientStreamConfiguration: Sendable {
    /// The purpose of the connection, which determines what follows the opening of the stream.
    public enum Purpose: Sendable {
        /// Log in and bind a resource.
        case authenticate(SASLCredentials)
        /// Create an account (XEP-0077): the stream stops before authentication and waits for requests of the owner.
        case register
        /// Connect as an external component (XEP-0114); the password is the secret that it shares with the server. The
        /// connection is not encrypted, so it must not leave the machine or a trusted network.
        case component(SASLCredentials)
    }

    /// The account: its domain is the server, its resource is requested (without one, the server chooses). Of a
    /// component, the domain that it serves.
    public var address: JID
    public var purpose: Purpose

    public var tls: TLSPolicy = .required

    /// The allowed SASL mechanisms.
    public var mechanisms = SASLPolicy()
    /// The hash functions for SCRAM.
    public var digests: SASLDigests
    /// Randomness for the SCRAM exchange of this connection, never used twice: printable ASCII without a comma, for
    /// instance the Base64 of 18 random bytes.
    public var nonce: String

    /// Identifies the installation; without it no token is requested or used (XEP-0388 §2.3, XEP-0484 §4).
    public var userAgent: UserAgent?
    /// The token of an earlier login, used instead of the password if the server and this connection allow it.
    public var fastToken: FASTToken?
    /// Whether a token for the next login is requested.
    public var requestsFASTToken = true
    /// The prefix of the resource that the server generates (XEP-0386 §4.2.1). Others can see it.
    public var bindTag: String?
    /// The functions to enable together with binding.
    public var bindRequests: [BindRequest] = []

    public var resourceConflict: ResourceConflictPolicy = .letServerChoose

    /// Whether stanzas are acknowledged, if the server supports it (XEP-0198).
    public var usesStreamManagement = true
    /// Whether the server is asked to keep the session for a resumption.
    public var requestsResumption = true
    /// The session to resume.
    public var resumption: ResumptionState?

    public var plan = NegotiationPlan.standard

    /// Whether `<starttls/>` is sent together with the stream header instead of after the features, which saves a round
    /// trip. Both orders are equally safe, because the client requires STARTTLS in any case.
    public var pipelinesStartTLS = true

    /// Whether the bind request is sent together with the stream header after authentication instead of after the
    /// features, which saves a round trip if there is no session to resume. Every server must support binding (RFC 6120
    /// §7.2), but not every server accepts the request this early; Prosody does.
    public var pipelinesBinding = false

    /// The parser limits for an authenticated server.
    public var limits = XMLLimits.default

    /// The assumed limits of the server until it announces others: those of an earlier connection (XEP-0478).
    public var serverLimits = StreamLimits()

    public var keepAlive = KeepAlivePolicy.standard
    /// The adapted keep-alive of an earlier connection on the same network, for ``KeepAlivePolicy/adaptive(_:)``.
    public var keepAlivePace: KeepAlivePace?

    /// The timeout from `open` or `transportConnected` to the end of the negotiation, including connecting.
    /// Registration by the user does not count: the timeout starts again after it.
    public var loginTimeout = Duration.seconds(30)
    /// The timeout for the response to `<resume/>`. The node that has the session may hang while others do not.
    public var resumptionTimeout = Duration.seconds(5)
    /// The timeout for the server to close its side of the stream.
    public var closeTimeout = Duration.seconds(3)

    public init(address: JID, purpose: Purpose, digests: SASLDigests, nonce: String) {
        self.address = address
        self.purpose = purpose
        self.digests = digests
        self.nonce = nonce
    }
}

extension ClientStreamConfiguration {
    var isComponent: Bool { if case .component = purpose { true } else { false } }

    /// The content namespace of the stream (RFC 6120 §4.8.2).
    var contentNamespace: String { isComponent ? StreamNamespace.component : XMPPNamespace.client }
}

/// Whether and how a stream must be encrypted.
public enum TLSPolicy: Hashable, Sendable {
    /// TLS must be established before anything except its negotiation is exchanged: by a transport that was secured on
    /// connecting, or by STARTTLS, which is requested even if it was not offered (RFC 6120 §5, §13.9.4).
    case required

    /// TLS from the first byte (XEP-0368).
    case directTLS

    /// No encryption, for a server on the same machine in tests. Passwords are sent readable.
    case plaintextAllowedForTestsOnly
}

/// What to do if the requested resource is in use (RFC 6120 §7.7.2.2).
public enum ResourceConflictPolicy: Hashable, Sendable {
    /// Request these one after the other, then let the server choose.
    case tryAlternatives([String])

    /// Request no resource: the server generates one.
    case letServerChoose

    /// Report `StreamAction.resourceConflict` and wait for `ClientStream.useResource(_:now:)`.
    case ask

    /// End the stream with the code `.resourceConflict`.
    case fail
}

/// Identifies the installation of the program that logs in (XEP-0388 §2.3), for the server and for its list of devices,
/// which only the owner of the account can see.
///
///     <user-agent id='d4565fa7-4d72-4749-b3d3-740edbf87770'>
///       <software>Hongyan</software><device>Kitchen</device>
///     </user-agent>
public struct UserAgent: Hashable, Codable, Sendable {
    /// A random UUID (version 4) that is constant for one account on one installation: servers store the token and the
    /// resource name of a client under it.
    public let id: String
    /// The name of the program.
    public var software: String?
    /// The name of the computer, as its owner would call it.
    public var device: String?

    /// - Returns: `nil` if `id` is not a UUID of version 4; servers would refuse the login.
    public init?(id: String, software: String? = nil, device: String? = nil) {
        guard Self.isRandomUUID(id) else { return nil }
        self.id = id.lowercased()
        self.software = software
        self.device = device
    }

    /// RFC 9562 §4, §5.4: groups of 8, 4, 4, 4 and 12 hexadecimal digits; version 4, variant 10xx.
    private static func isRandomUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return false }
        let areDigits = groups.allSatisfy { $0.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } }
        return areDigits && groups[2].first == "4" && "89abAB".contains(groups[3].first ?? " ")
    }
}

/// A configuration that a stream and its negotiation share, so that it is in memory once.
final class SharedConfiguration: Sendable {
    let value: ClientStreamConfiguration

    init(_ value: ClientStreamConfiguration) { self.value = value }
}
