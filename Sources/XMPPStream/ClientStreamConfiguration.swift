public import SASLMechanisms
public import XMLStreaming
public import XMPPAddress

/// The purpose and the rules of a client stream.
public struct ClientStreamConfiguration: Sendable {
    /// What the owner wants from the connection (it decides what follows the opening of the stream).
    public enum Purpose: Sendable {
        /// Log in and bind a resource.
        case authenticate(SASLCredentials)
        /// Create an account (XEP-0077): the stream stops before authentication and waits for the owner's requests.
        case register
    }

    /// The account: its domain names the server, its resource is the one asked for (none lets the server choose).
    public var address: JID
    public var purpose: Purpose

    public var tls: TLSPolicy = .required

    /// Which SASL mechanisms may be used.
    public var mechanisms = SASLPolicy()
    /// The hash functions for SCRAM.
    public var digests: SASLDigests
    /// Fresh randomness for this connection's SCRAM exchange, never used twice: printable ASCII without a comma, for
    /// instance the base64 of 18 random bytes.
    public var nonce: String

    /// Which installation this is; without it no token is asked for or used (XEP-0388 §2.3, XEP-0484 §4).
    public var userAgent: UserAgent?
    /// The token of an earlier login, to be used in place of the password where the server and this connection allow
    /// it.
    public var fastToken: FASTToken?
    /// Whether a token for the next login is asked for.
    public var requestsFASTToken = true
    /// The prefix of the resource that the server generates (XEP-0386 §4.2.1). Others can see it.
    public var bindTag: String?
    /// What to switch on together with the binding.
    public var bindRequests: [BindRequest] = []

    public var resourceConflict: ResourceConflictPolicy = .letServerChoose

    /// Whether stanzas are acknowledged where the server can (XEP-0198).
    public var usesStreamManagement = true
    /// Whether the server is asked to keep the session for a resumption.
    public var requestsResumption = true
    /// The session to go on with.
    public var resumption: ResumptionState?

    public var plan = NegotiationPlan.standard

    /// Whether `<starttls/>` travels together with the stream header instead of after the features, which saves a
    /// round trip. Both orders are refused or granted alike, for the client demands STARTTLS in any case.
    public var pipelinesStartTLS = true

    /// Whether the bind request is sent together with the stream header after authentication instead of after the
    /// features, which saves a round trip if there is no session to resume. Every server must support binding (RFC 6120
    /// §7.2), but not every server accepts the request this early; Prosody does.
    public var pipelinesBinding = false

    /// The parser limits for an authenticated server.
    public var limits = XMLLimits.default

    /// What the server accepts until it says otherwise: what it said on an earlier connection (XEP-0478).
    public var serverLimits = StreamLimits()

    public var keepAlive = KeepAlivePolicy.standard
    /// What an earlier connection on the same network has learnt, for ``KeepAlivePolicy/adaptive(_:)``.
    public var keepAlivePace: KeepAlivePace?

    /// From `open` or `transportConnected` to the end of the negotiation, the connecting included. Registration by a
    /// person is not counted: the time starts again when it is over.
    public var loginTimeout = Duration.seconds(30)
    /// How long the server has to answer `<resume/>`. The node that kept the session may hang while others do not.
    public var resumptionTimeout = Duration.seconds(5)
    /// How long the server has to close its side after we have closed ours.
    public var closeTimeout = Duration.seconds(3)

    public init(address: JID, purpose: Purpose, digests: SASLDigests, nonce: String) {
        self.address = address
        self.purpose = purpose
        self.digests = digests
        self.nonce = nonce
    }
}

/// Whether and how a stream must be encrypted.
public enum TLSPolicy: Hashable, Sendable {
    /// Encrypted before anything but the offer of encryption is exchanged: over a transport that was secured on
    /// connecting, or else by STARTTLS, which is demanded even when it was not offered (RFC 6120 §5, §13.9.4).
    case required

    /// TLS from the first byte (XEP-0368).
    case directTLS

    /// No encryption at all, for a server on the same machine during tests. Passwords cross the network readable.
    case plaintextAllowedForTestsOnly
}

/// What to do when the resource that was asked for is in use (RFC 6120 §7.7.2.2).
public enum ResourceConflictPolicy: Hashable, Sendable {
    /// Ask for these, one after the other, and then let the server choose.
    case tryAlternatives([String])

    /// Ask again without a resource: the server makes one up.
    case letServerChoose

    /// Report `StreamAction.resourceConflict` and wait for `ClientStream.useResource(_:now:)`.
    case ask

    /// End the stream with the code `.resourceConflict`.
    case fail
}

/// Which installation of which program logs in (XEP-0388 §2.3), for the server and for the list of devices that it may
/// show to the account's owner; it is shown to no others.
///
///     <user-agent id='d4565fa7-4d72-4749-b3d3-740edbf87770'>
///       <software>Hongyan</software><device>Kitchen</device>
///     </user-agent>
public struct UserAgent: Hashable, Codable, Sendable {
    /// A random UUID (version 4) that stays the same for one account on one installation: servers keep a client's
    /// token and the name of its resource under it.
    public let id: String
    /// The name of the program.
    public var software: String?
    /// The name of the computer, as its owner would call it.
    public var device: String?

    /// - Returns: `nil` where `id` is no UUID of version 4; servers refuse the login then.
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
