import COpenSSL
import Synchronization

/// TLS sessions of earlier connections, with which the next connection to the same server needs one round trip less and
/// no signature (RFC 8446 §2.2, RFC 5077).
///
/// Use the same cache for every ``TLSConfiguration`` of an account (``TLSConfiguration/sessionCache``). A session is
/// offered only if
///
/// * server name, application protocols and ``TrustPolicy`` are those of the original connection, so that one policy
///   does not benefit from the decision of another;
/// * the policy still accepts the certificates of that connection, without asking the user: the server does not send
///   them again when a session is resumed (RFC 8446 §2.2), and a certificate may have expired or an authority may have
///   lost its trust since;
/// * it has not expired. The maximum is seven days (RFC 8446 §4.6.1).
///
/// Some servers give sessions and resume none (Prosody 0.12): after two refusals in a row nothing is kept for such a server for a
/// day, because an offer costs the verification of the certificates.
///
/// A ticket of TLS 1.3 is used once, so that an observer cannot link two connections of a client by it (RFC 8446 §C.4).
/// A session of TLS 1.2 without the extended master secret is not stored (RFC 7627 §5.3).
///
/// Sessions contain keys. They are stored only in memory and only as long as the cache lives.
public final class TLSSessionCache: Sendable {
    struct Key: Hashable, Sendable {
        var serverName: String
        var alternativeNames: [String] = []
        var applicationProtocols: [String]
        var trust: TrustPolicy.Identity
    }

    struct Session: Sendable {
        var version: TLSVersion
        var ticket: TLSTicket
        /// The certificates that the server sent when the session began, its own first.
        var chain: [Certificate]
        /// Seconds since 1970.
        var expiry: Int64
    }

    private struct Entry {
        /// The newest last.
        var sessions: [Session] = []
        var lastUse: UInt64 = 0
        /// How many offers the server has refused since it last accepted one.
        var refusals = 0
        /// Until when nothing is kept, in seconds since 1970.
        var pauseEnd = Int64.min
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
    }

    /// Servers send two tickets at a time; twice that serves a connection that broke before it could get new ones.
    static let sessionsPerServer = 4

    /// A ticket has a few hundred bytes and its certificate a few thousand, but a server may choose any size.
    static let sessionBytes = 16 * 1024

    /// One refusal may be a restart of the server, which has lost its keys.
    static let refusalLimit = 2

    /// A day in seconds: so long nothing is kept for a server that refuses what it gave.
    static let pause: Int64 = 86_400

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: the number of servers; the least recently used one is removed first.
    public init(capacity: Int = 32) {
        self.capacity = max(1, capacity)
    }

    /// The number of sessions, including expired ones.
    public var count: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.sessions.count } } }

    /// Removes all sessions: when the account signs out, or the user withdraws trust.
    public func removeAll() {
        state.withLock { $0.entries = [:] }
    }

    /// Removes and returns the newest session that has not expired. After a successful use, a session of TLS 1.2 is put
    /// back; a failed one is not tried again.
    func take(_ key: Key, versions: ClosedRange<TLSVersion>, now: Int64) -> Session? {
        state.withLock { state in
            guard var entry = state.entries[key] else { return nil }
            entry.sessions.removeAll { $0.expiry <= now }
            let index = entry.sessions.lastIndex { versions.contains($0.version) }
            let session = index.map { entry.sessions.remove(at: $0) }
            state.uses += 1
            entry.lastUse = state.uses
            state.entries[key] = entry.sessions.isEmpty && entry.refusals == 0 ? nil : entry
            return session
        }
    }

    /// Whether sessions of a server are worth keeping.
    func wants(_ key: Key, now: Int64) -> Bool { state.withLock { $0.entries[key].map { $0.pauseEnd <= now } ?? true } }

    /// The server has resumed the session that was offered, or has refused to.
    func offerAnswered(_ key: Key, isResumed: Bool, now: Int64) {
        state.withLock { state in
            state.uses += 1
            var entry = state.entries[key] ?? Entry()
            entry.lastUse = state.uses
            entry.refusals = isResumed ? 0 : entry.refusals + 1
            if entry.refusals >= Self.refusalLimit { (entry.sessions, entry.pauseEnd) = ([], now + Self.pause) }
            state.entries[key] = entry.sessions.isEmpty && entry.refusals == 0 ? nil : entry
        }
    }

    func insert(_ session: Session, for key: Key, now: Int64) {
        guard session.expiry > now, session.ticket.byteCount <= Self.sessionBytes else { return }
        state.withLock { state in
            state.uses += 1
            var entry = state.entries[key] ?? Entry()
            guard entry.pauseEnd <= now else { return }
            entry.lastUse = state.uses
            // One session of TLS 1.2 serves all connections.
            if session.version == .tls12 { entry.sessions.removeAll { $0.version == .tls12 } }
            entry.sessions.append(session)
            if entry.sessions.count > Self.sessionsPerServer { entry.sessions.removeFirst() }
            state.entries[key] = entry
            while state.entries.count > capacity,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.entries[oldest.key] = nil
            }
        }
    }
}

/// A session of OpenSSL with its keys.
///
/// It is a copy, and each connection gets another one: OpenSSL marks the session of a connection that ends without a farewell,
/// and does not resume it.
///
/// `@unchecked Sendable`: the only reference is here, and its functions only read and copy, so nothing changes it.
final class TLSTicket: @unchecked Sendable {
    private let pointer: OpaquePointer

    init?(copying session: OpaquePointer) {
        guard let pointer = SSL_SESSION_dup(session) else { return nil }
        self.pointer = pointer
    }

    deinit { SSL_SESSION_free(pointer) }

    /// The size of what the server has chosen: what it wants to get back, and its certificate.
    var byteCount: Int {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        SSL_SESSION_get0_ticket(pointer, &bytes, &count)
        return count + Int(max(0, i2d_X509(SSL_SESSION_get0_peer(pointer), nil)))
    }

    /// Offers the session on a connection; returns whether that is possible.
    func isOffered(on ssl: OpaquePointer, ofServerWith certificate: Certificate) -> Bool {
        guard let copy = SSL_SESSION_dup(pointer) else { return false }
        defer { SSL_SESSION_free(copy) }
        return SSL_SESSION_is_resumable(copy) == 1 && certificate.isSame(as: SSL_SESSION_get0_peer(copy))
            && SSL_set_session(ssl, copy) == 1
    }
}
