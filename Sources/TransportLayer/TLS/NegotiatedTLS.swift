import COpenSSL

/// The result of a TLS handshake.
public struct NegotiatedTLS: Sendable, Hashable {
    public var version: TLSVersion

    /// The cipher suite by OpenSSL's name, such as `TLS_AES_256_GCM_SHA384`.
    public var cipher: String

    /// Whether a session of an earlier connection was resumed (``TLSSessionCache``). The certificates are then those of
    /// that connection.
    public var isResumed: Bool

    /// The protocol that the server selected by ALPN; `nil` if none.
    public var applicationProtocol: String?

    /// Channel binding `tls-exporter` (RFC 9266), 32 bytes; `nil` with TLS 1.2 without the extended master secret.
    public var tlsExporter: [UInt8]?

    /// Channel binding `tls-server-end-point` (RFC 5929 §4): the hash of the server's certificate; `nil` when its signature
    /// algorithm has no single hash (Ed25519).
    public var tlsServerEndPoint: [UInt8]?

    /// Channel binding `tls-unique` (RFC 5929 §3); `nil` with TLS 1.3, where it is not defined, and without the extended master
    /// secret (RFC 7627 §1).
    public var tlsUnique: [UInt8]?

    /// The certificates that the peer sent, its own first. Empty on the server side.
    public var peerCertificates: [CertificateInformation]

    /// The problems of the certificate that a pin or the user overruled; empty if it was valid.
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

extension TLSEngine {
    /// The result of the handshake.
    borrowing func describe(chain: [Certificate], overruled: [CertificateProblem]) -> NegotiatedTLS {
        withSSL { ssl in
            let version: TLSVersion = SSL_version(ssl) == TLS1_3_VERSION ? .tls13 : .tls12
            // Without the extended master secret a man in the middle can give two connections the same binding (RFC
            // 7627 §1).
            let isUnique = version == .tls13 || SSL_ctrl(ssl, SSL_CTRL_GET_EXTMS_SUPPORT, 0, nil) == 1
            return NegotiatedTLS(
                version: version,
                cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? "",
                applicationProtocol: Self.applicationProtocol(ssl),
                tlsExporter: isUnique ? Self.exporter(ssl) : nil,
                tlsServerEndPoint: Self.serverEndPoint(ssl, chain.first),
                tlsUnique: isUnique && version == .tls12 ? Self.unique(ssl) : nil,
                peerCertificates: chain.map(\.information),
                overruledProblems: overruled,
                isResumed: SSL_session_reused(ssl) == 1)
        }
    }

    private static func applicationProtocol(_ ssl: OpaquePointer) -> String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// `tls-exporter`, RFC 9266 §2: the label below, an empty context, 32 bytes.
    private static func exporter(_ ssl: OpaquePointer) -> [UInt8]? {
        let label = "EXPORTER-Channel-Binding"
        var result = [UInt8](repeating: 0, count: 32)
        let empty: [UInt8] = []
        let code = SSL_export_keying_material(ssl, &result, result.count, label, label.utf8.count, empty, 0, 1)
        return code == 1 ? result : nil
    }

    /// `tls-server-end-point`, RFC 5929 §4.1: the hash of the certificate with the hash function of its signature;
    /// SHA-256 instead of MD5 and SHA-1.
    private static func serverEndPoint(_ ssl: OpaquePointer, _ peer: Certificate?) -> [UInt8]? {
        guard let pointer = SSL_is_server(ssl) == 1 ? SSL_get_certificate(ssl) : peer?.pointer else { return nil }
        var digest: Int32 = 0
        guard X509_get_signature_info(pointer, &digest, nil, nil, nil) == 1, digest != NID_undef else { return nil }
        if digest == NID_md5 || digest == NID_sha1 || digest == NID_md5_sha1 { digest = NID_sha256 }
        guard let algorithm = EVP_get_digestbyname(OBJ_nid2sn(digest)) else { return nil }
        var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard X509_digest(pointer, algorithm, &hash, &count) == 1 else { return nil }
        return Array(hash.prefix(Int(count)))
    }

    /// `tls-unique`, RFC 5929 §3.1: the first Finished message of the handshake: the client's, but the server's if a
    /// session is resumed.
    private static func unique(_ ssl: OpaquePointer) -> [UInt8]? {
        var message = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        let isOwn = (SSL_is_server(ssl) == 1) == (SSL_session_reused(ssl) == 1)
        let count =
            isOwn ? SSL_get_finished(ssl, &message, message.count) : SSL_get_peer_finished(ssl, &message, message.count)
        return count > 0 ? Array(message.prefix(count)) : nil
    }
}
