/// How to secure a connection as the client.
public struct TLSConfiguration: Sendable {
    /// Who the peer must be: the domain of the JID as A-labels, or an IP address. Never the host that DNS named: whoever controls DNS could
    /// name one of his own (RFC 6120 §13.7.2.1).
    public var serverName: String

    /// Other names that the certificate may be for: with a WebSocket found by host-meta the name of the JID's domain beside that of the
    /// host in the URL (XEP-0156 §2.2). They are not sent.
    public var alternativeNames: [String] = []

    /// Which certificates are trusted.
    public var trust: TrustPolicy

    /// The certificate that is shown to a server that asks for one; `nil` shows none.
    public var identity: TLSIdentity?

    /// Protocols offered by ALPN (RFC 7301). A server that selects none is fine: Prosody and others do so.
    public var applicationProtocols: [String]

    public var minimumVersion = TLSVersion.tls12
    public var maximumVersion = TLSVersion.tls13

    /// Where sessions are kept and found for resumption; `nil` means that each connection has a full handshake.
    public var sessionCache: TLSSessionCache?

    /// The time for the whole handshake, the question to the user included.
    public var handshakeTimeout: Duration

    /// - Parameter handshakeTimeout: `nil` allows 20 s, or 5 min when the trust policy asks a person.
    public init(
        serverName: String, trust: TrustPolicy = .system, applicationProtocols: [String] = [],
        handshakeTimeout: Duration? = nil
    ) {
        self.serverName = serverName
        self.trust = trust
        self.applicationProtocols = applicationProtocols
        self.handshakeTimeout = handshakeTimeout ?? (trust.asksPerson ? .seconds(300) : .seconds(20))
    }

    /// The ALPN name of XMPP between client and server (XEP-0368 §2).
    public static let xmppClientProtocol = "xmpp-client"
}

/// How to secure a connection as the server.
public struct TLSServerConfiguration: Sendable, Hashable {
    /// PEM file: the server's certificate, then the intermediate ones.
    public var certificateChainFile: String
    /// PEM file without passphrase.
    public var privateKeyFile: String
    /// Protocols selected by ALPN, the preferred one first. A client that offers none of them goes on without.
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
