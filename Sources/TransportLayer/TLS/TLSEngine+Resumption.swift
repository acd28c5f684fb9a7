import COpenSSL
import Glibc

/// A session that the client has offered, with the result of verifying its chain.
struct TLSResumption: Sendable {
    var session: TLSSessionCache.Session
    /// The certificates that the server sent when the session began; verified again when it was offered.
    var chain: [Certificate]
}

extension TLSConfiguration {
    var sessionKey: TLSSessionCache.Key {
        TLSSessionCache.Key(
            serverName: serverName.lowercased(), alternativeNames: alternativeNames,
            applicationProtocols: applicationProtocols, trust: trust.identity)
    }
}

extension TLSEngine {
    /// Offers a session of the cache to the server; `nil` if there is none that the trust policy accepts.
    ///
    /// With a resumed session the server sends no certificate and OpenSSL does not verify anything. So this method
    /// verifies the chain of the original handshake with the policy of this connection, at the current time.
    static func offerSession(_ ssl: OpaquePointer, _ configuration: TLSConfiguration) -> TLSResumption? {
        guard let cache = configuration.sessionCache, configuration.minimumVersion <= configuration.maximumVersion,
            let session = cache.take(
                configuration.sessionKey, versions: configuration.minimumVersion...configuration.maximumVersion,
                now: Int64(time(nil)))
        else { return nil }
        let chain = session.chain.compactMap { Certificate(der: $0) }
        guard let leaf = chain.first, chain.count == session.chain.count,
            let evaluation = try? configuration.trust.evaluate(
                chain, for: configuration.serverName, or: configuration.alternativeNames),
            configuration.trust.decide(evaluation) == true
        else { return nil }
        let pointer = session.bytes.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_SSL_SESSION(nil, &cursor, bytes.count)
        }
        defer { SSL_SESSION_free(pointer) }
        guard let pointer, SSL_SESSION_is_resumable(pointer) == 1, leaf.isSame(as: SSL_SESSION_get0_peer(pointer)),
            SSL_set_session(ssl, pointer) == 1
        else { return nil }
        return TLSResumption(session: session, chain: chain)
    }

    /// Whether the server resumed exactly the offered session.
    static func isResumed(_ ssl: OpaquePointer, _ offered: TLSResumption) -> Bool {
        SSL_session_reused(ssl) == 1 && offered.chain.first?.isSame(as: SSL_get0_peer_certificate(ssl)) == true
    }

    /// OpenSSL has created a session from a message of the server. It is stored here; the engine decides whether to
    /// cache it.
    static func sessionReceived(_ ssl: OpaquePointer?, _ session: OpaquePointer?) {
        guard let ssl, let session, let memory = memory(of: ssl), memory.storesSessions else { return }
        let version: TLSVersion = SSL_version(ssl) == TLS1_3_VERSION ? .tls13 : .tls12
        let count = i2d_SSL_SESSION(session, nil)
        guard count > 0, Int(count) <= TLSSessionCache.sessionBytes else { return }
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
            var cursor = buffer.baseAddress
            initialized = Int(max(0, i2d_SSL_SESSION(session, &cursor)))
        }
        var lifetime = Int64(clamping: SSL_SESSION_get_ticket_lifetime_hint(session))
        // In TLS 1.2, 0 means unspecified; in TLS 1.3, it means that the ticket is useless (RFC 8446 §4.6.1).
        if version == .tls12 && lifetime == 0 { lifetime = Int64(SSL_SESSION_get_timeout(session)) }
        memory.receivedSessions.append(
            TLSSessionCache.Session(
                version: version, bytes: bytes, chain: [],
                expiry: Int64(SSL_SESSION_get_time(session)) + min(lifetime, Self.longestLifetime)))
    }

    /// Seven days (RFC 8446 §4.6.1).
    private static let longestLifetime: Int64 = 7 * 86_400
}
