import COpenSSL
import Glibc

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
    static func offerSession(_ ssl: OpaquePointer, _ configuration: TLSConfiguration) -> TLSSessionCache.Session? {
        guard let cache = configuration.sessionCache, configuration.minimumVersion <= configuration.maximumVersion,
            let session = cache.take(
                configuration.sessionKey, versions: configuration.minimumVersion...configuration.maximumVersion,
                now: Int64(time(nil))),
            let leaf = session.chain.first,
            let evaluation = try? configuration.trust.evaluate(
                session.chain, for: configuration.serverName, or: configuration.alternativeNames),
            configuration.trust.decide(evaluation) == true, session.ticket.isOffered(on: ssl, ofServerWith: leaf)
        else { return nil }
        return session
    }

    /// Whether the server resumed exactly the offered session.
    static func isResumed(_ ssl: OpaquePointer, _ offered: TLSSessionCache.Session) -> Bool {
        SSL_session_reused(ssl) == 1 && offered.chain.first?.isSame(as: SSL_get0_peer_certificate(ssl)) == true
    }

    /// OpenSSL has created a session from a message of the server. It is stored here; the engine decides whether to
    /// cache it.
    static func sessionReceived(_ ssl: OpaquePointer?, _ session: OpaquePointer?) {
        guard let ssl, let session, let memory = memory(of: ssl), memory.storesSessions,
            let ticket = TLSTicket(copying: session)
        else { return }
        let version: TLSVersion = SSL_version(ssl) == TLS1_3_VERSION ? .tls13 : .tls12
        var lifetime = Int64(clamping: SSL_SESSION_get_ticket_lifetime_hint(session))
        // In TLS 1.2, 0 means unspecified; in TLS 1.3, it means that the ticket is useless (RFC 8446 §4.6.1).
        if version == .tls12 && lifetime == 0 { lifetime = Int64(SSL_SESSION_get_timeout(session)) }
        memory.received(
            TLSSessionCache.Session(
                version: version, ticket: ticket, chain: [],
                expiry: Int64(SSL_SESSION_get_time(session)) + min(lifetime, Self.longestLifetime)))
    }

    /// Seven days (RFC 8446 §4.6.1).
    private static let longestLifetime: Int64 = 7 * 86_400
}
