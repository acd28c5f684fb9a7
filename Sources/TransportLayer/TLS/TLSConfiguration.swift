import COpenSSL

/// The TLS settings of a client connection.
public struct TLSConfiguration: Sendable {
    /// The required identity of the peer: the domain of the JID in A-labels, or an IP address. Never the host from DNS,
    /// because an attacker who controls DNS could name any host (RFC 6120 §13.7.2.1).
    public var serverName: String

    /// Alternative names that the certificate may have instead: for a WebSocket found by host-meta, the domain of the
    /// JID beside the host of the URL (XEP-0156 §2.2). They are not sent.
    public var alternativeNames: [String] = []

    /// Which certificates are trusted.
    public var trust: TrustPolicy

    /// The certificate for a server that requests one; `nil` sends none.
    public var identity: TLSIdentity?

    /// Protocols to offer by ALPN (RFC 7301). The server need not select one: Prosody and others do not.
    public var applicationProtocols: [String]

    /// The lowest version that is negotiated: older ones are not secure any more (RFC 7590 §3.1).
    public var minimumVersion = TLSVersion.tls12
    public var maximumVersion = TLSVersion.tls13

    /// The cache of sessions for resumption; `nil` means that each connection does a full handshake.
    public var sessionCache: TLSSessionCache?

    /// The timeout of the whole handshake, including a question to the user.
    public var handshakeTimeout: Duration

    /// - Parameter handshakeTimeout: `nil` means 20 s, or 5 min if the trust policy asks the user.
    public init(
        serverName: String, trust: TrustPolicy = .system, applicationProtocols: [String] = [],
        handshakeTimeout: Duration? = nil
    ) {
        self.serverName = serverName
        self.trust = trust
        self.applicationProtocols = applicationProtocols
        self.handshakeTimeout = handshakeTimeout ?? (trust.asksUser ? .seconds(300) : .seconds(20))
    }

    /// The ALPN name of XMPP between client and server (XEP-0368 §2).
    public static let xmppClientProtocol = "xmpp-client"
}

/// The TLS settings of a server connection.
public struct TLSServerConfiguration: Sendable, Hashable {
    /// PEM file: the server's certificate, then the intermediate ones.
    public var certificateChainFile: String
    /// PEM file without passphrase.
    public var privateKeyFile: String
    /// Protocols to select by ALPN, the preferred one first. A client that offers none of them continues without.
    public var applicationProtocols: [String]
    public var minimumVersion = TLSVersion.tls12
    public var maximumVersion = TLSVersion.tls13
    public var handshakeTimeout = Duration.seconds(20)

    public init(certificateChainFile: String, privateKeyFile: String, applicationProtocols: [String] = []) {
        self.certificateChainFile = certificateChainFile
        self.privateKeyFile = privateKeyFile
        self.applicationProtocols = applicationProtocols
    }
}

/// The supported versions of TLS. Older ones are forbidden (RFC 8996).
public enum TLSVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    case tls12
    case tls13

    public var description: String {
        switch self {
        case .tls12: "TLS 1.2"
        case .tls13: "TLS 1.3"
        }
    }

    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}
