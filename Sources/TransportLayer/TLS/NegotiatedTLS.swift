/// What a TLS handshake settled.
public struct NegotiatedTLS: Sendable, Hashable {
    public var version: TLSVersion

    /// The cipher suite by its IANA-like OpenSSL name, such as `TLS_AES_256_GCM_SHA384`.
    public var cipher: String

    /// Whether a session of an earlier connection was resumed (``TLSSessionCache``). The certificates are those of that connection then.
    public var isResumed: Bool

    /// What the server selected by ALPN; `nil` when it selected nothing.
    public var applicationProtocol: String?

    /// Channel binding `tls-exporter` (RFC 9266), 32 bytes; `nil` with TLS 1.2 without the extended master secret.
    public var tlsExporter: [UInt8]?

    /// Channel binding `tls-server-end-point` (RFC 5929 §4): the hash of the server's certificate; `nil` when its signature
    /// algorithm has no single hash (Ed25519).
    public var tlsServerEndPoint: [UInt8]?

    /// Channel binding `tls-unique` (RFC 5929 §3); `nil` with TLS 1.3, where it is not defined, and without the extended master
    /// secret (RFC 7627 §1).
    public var tlsUnique: [UInt8]?

    /// What the peer showed, its own certificate first. Empty on the server's side.
    public var peerCertificates: [CertificateInformation]

    /// The reasons against the certificate that a pin or a person overruled; empty when it stood on its own.
    public var overruledProblems: [CertificateProblem]

    public init(
        version: TLSVersion, cipher: String, applicationProtocol: String? = nil, tlsExporter: [UInt8]? = nil,
        tlsServerEndPoint: [UInt8]? = nil, tlsUnique: [UInt8]? = nil, peerCertificates: [CertificateInformation] = [],
        overruledProblems: [CertificateProblem] = [], isResumed: Bool = false
    ) {
        self.version = version
        self.cipher = cipher
        self.applicationProtocol = applicationProtocol
        self.tlsExporter = tlsExporter
        self.tlsServerEndPoint = tlsServerEndPoint
        self.tlsUnique = tlsUnique
        self.peerCertificates = peerCertificates
        self.overruledProblems = overruledProblems
        self.isResumed = isResumed
    }
}
