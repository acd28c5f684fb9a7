import Synchronization

/// TLS sessions of earlier connections, so that the next one to the same server needs one round trip less and no signature (RFC 8446 §2.2,
/// RFC 5077).
///
/// Give the same cache to each ``TLSConfiguration`` of an account, by ``TLSConfiguration/sessionCache``. A session is offered only when
///
/// * server name, offered application protocols and ``TrustPolicy`` are those of the connection that it comes from, so what one policy has
///   accepted does not slip past another one;
/// * the policy accepts the certificates of that connection still, now, without asking a person: the server does not show them again when
///   a session is resumed (RFC 8446 §2.2), and a certificate may have expired or an authority may have lost its trust since;
/// * it has not expired. Seven days is the most (RFC 8446 §4.6.1).
///
/// A ticket of TLS 1.3 is used once, so that nobody can tell by it that two connections are of one client (RFC 8446 §C.4). A session of
/// TLS 1.2 without the extended master secret is not kept at all (RFC 7627 §5.3).
///
/// Sessions hold keys. They live in memory only and end with the cache.
public final class TLSSessionCache: Sendable {
    struct Key: Hashable, Sendable {
        var serverName: String
        var alternativeNames: [String] = []
        var applicationProtocols: [String]
        var trust: TrustPolicy.Identity
    }

    struct Session: Sendable {
        var version: TLSVersion
        /// As OpenSSL serialises it; the keys are inside.
        var bytes: [UInt8]
        /// What the server showed when the session began, DER, its own certificate first.
        var chain: [[UInt8]]
        /// Seconds since 1970.
        var expiry: Int64
    }

    private struct Entry {
        /// The newest last.
        var sessions: [Session] = []
        var lastUse: UInt64 = 0
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
    }

    /// Servers send two tickets at a time; twice that serves a connection that broke before it could get new ones.
    static let sessionsPerServer = 4

    /// A ticket is some hundred bytes and the certificate beside it a few thousand. A server may make tickets as long as it likes.
    static let sessionBytes = 16 * 1024

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: for how many servers sessions are kept; the one that was not asked for longest goes first.
    public init(capacity: Int = 32) {
        self.capacity = max(1, capacity)
    }

    /// The number of sessions at hand, expired ones included.
    public var count: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.sessions.count } } }

    /// Forgets all sessions: when the account signs out, or the person withdraws trust.
    public func removeAll() {
        state.withLock { $0.entries = [:] }
    }

    /// Takes out the newest session that has not expired. Who has used one of TLS 1.2 with success puts it back: what failed is not
    /// tried twice.
    func take(_ key: Key, versions: ClosedRange<TLSVersion>, now: Int64) -> Session? {
        state.withLock { state in
            guard var entry = state.entries[key] else { return nil }
            entry.sessions.removeAll { $0.expiry <= now }
            let index = entry.sessions.lastIndex { versions.contains($0.version) }
            let session = index.map { entry.sessions.remove(at: $0) }
            state.uses += 1
            entry.lastUse = state.uses
            state.entries[key] = entry.sessions.isEmpty ? nil : entry
            return session
        }
    }

    func insert(_ session: Session, for key: Key, now: Int64) {
        guard session.expiry > now, session.bytes.count <= Self.sessionBytes else { return }
        state.withLock { state in
            state.uses += 1
            var entry = state.entries[key] ?? Entry()
            entry.lastUse = state.uses
            // One session of TLS 1.2 serves for all connections.
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
