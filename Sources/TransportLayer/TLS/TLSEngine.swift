import COpenSSL
import Glibc

/// One end of a TLS connection without I/O: bytes from the network in, bytes for the network out, and the plain bytes.
///
/// The owner calls ``handshake()`` until it is established, and passes received bytes to ``append(_:)``; then it uses
/// ``decrypt(_:)`` and ``encrypt(_:)``. After every call it sends ``takeOutput()``, even after a thrown error, because
/// the output is the alert then.
public final class TLSEngine {
    /// The progress of the handshake.
    public enum Progress: Sendable {
        /// More bytes from the peer are needed.
        case needsBytes
        /// The caller has to decide whether to accept the certificate: ``TLSEngine/decide(isAccepted:)``, then
        /// ``TLSEngine/handshake()``.
        case needsDecision(TrustEvaluation)
        case established(NegotiatedTLS)
    }

    private let ssl: OpaquePointer
    private let memory: TLSMemory
    private let context: TLSContext
    private let client: TLSConfiguration?
    private var evaluation: TrustEvaluation?
    private var overruled: [CertificateProblem] = []
    private var lastInputCount = 0
    /// The offered session; `nil` if there was none, and after the handshake.
    private var resumption: TLSSessionCache.Session?
    /// Whether the policy itself accepted the certificate, so that the same policy may resume sessions of this
    /// connection.
    private var isAcceptedByPolicy = false

    private var negotiated: NegotiatedTLS?
    private var hasPeerFinished = false

    /// The result of the handshake; `nil` before its end.
    public var information: NegotiatedTLS? { negotiated }
    /// The peer has sent `close_notify`.
    public var isPeerFinished: Bool { hasPeerFinished }

    public var isEstablished: Bool { negotiated != nil }

    /// The client side.
    public convenience init(client configuration: TLSConfiguration) throws(TransportError) {
        try self.init(context: try TLSContext.client(), client: configuration)
        SSL_set_connect_state(ssl)
        SSL_ctrl(ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(configuration.minimumVersion.number), nil)
        SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(configuration.maximumVersion.number), nil)
        if SocketAddress(configuration.serverName, port: 0) == nil {
            // RFC 6066 §3: a name, never an address.
            var name = Array(configuration.serverName.utf8CString)
            SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name)
        }
        var offered: [UInt8] = []
        for name in configuration.applicationProtocols where (1...255).contains(name.utf8.count) {
            offered.append(UInt8(name.utf8.count))
            offered += name.utf8
        }
        if !offered.isEmpty { SSL_set_alpn_protos(ssl, offered, UInt32(offered.count)) }
        memory.storesSessions =
            configuration.sessionCache?.wants(configuration.sessionKey, now: Int64(time(nil))) ?? false
        resumption = Self.offerSession(ssl, configuration)
    }

    /// The server side.
    public convenience init(server configuration: TLSServerConfiguration) throws(TransportError) {
        try self.init(context: try TLSContext.server(configuration), client: nil)
        memory.applicationProtocols = configuration.applicationProtocols
        SSL_set_accept_state(ssl)
        SSL_ctrl(ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(configuration.minimumVersion.number), nil)
        SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(configuration.maximumVersion.number), nil)
    }

    private init(context: TLSContext, client: TLSConfiguration?) throws(TransportError) {
        guard let ssl = SSL_new(context.pointer) else { throw TransportError(tls: "Starting TLS") }
        if let identity = client?.identity {
            do throws(TransportError) {
                try identity.show(on: ssl)
            } catch {
                SSL_free(ssl)
                throw error
            }
        }
        let memory = TLSMemory()
        guard let bio = memory.makeBIO() else {
            SSL_free(ssl)
            throw TransportError(tls: "Starting TLS")
        }
        // One BIO serves both directions; SSL_free frees it once.
        SSL_set_bio(ssl, bio, bio)
        SSL_set_ex_data(ssl, Self.memoryIndex, Unmanaged.passUnretained(memory).toOpaque())
        self.ssl = ssl
        self.memory = memory
        self.context = context
        self.client = client
    }

    deinit { SSL_free(ssl) }

    private static let memoryIndex = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, nil, nil, nil, nil)

    static func memory(of ssl: OpaquePointer) -> TLSMemory? {
        SSL_get_ex_data(ssl, memoryIndex).map { Unmanaged<TLSMemory>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Handshake

    /// Stores bytes from the network for the next call.
    public func append(_ bytes: UnsafeRawBufferPointer) {
        memory.store(bytes)
    }

    /// Continues the handshake as far as the available bytes allow.
    public func handshake() throws(TransportError) -> Progress {
        if let negotiated { return .established(negotiated) }
        while true {
            Self.clearErrors()
            let result = SSL_do_handshake(ssl)
            if result == 1 {
                return .established(try settle())
            }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ: return .needsBytes
            case SSL_ERROR_WANT_RETRY_VERIFY:
                guard let client else { throw TransportError(tls: "The TLS handshake") }
                if memory.verdict != nil { continue }
                let evaluation = try client.trust.evaluate(
                    memory.chain, for: client.serverName, or: client.alternativeNames)
                self.evaluation = evaluation
                guard let isAccepted = client.trust.decide(evaluation) else { return .needsDecision(evaluation) }
                isAcceptedByPolicy = isAccepted
                decide(isAccepted: isAccepted)
            default:
                if memory.verdict != nil && memory.verdict != X509_V_OK { throw refusal() }
                throw TransportError(tls: "The TLS handshake failed")
            }
        }
    }

    /// Completes the handshake. Requires a verification result, whatever OpenSSL thinks of the callback: for the chain
    /// of this handshake or, if the session was resumed, for the chain of the original handshake, verified when the
    /// session was offered.
    private func settle() throws(TransportError) -> NegotiatedTLS {
        let offered = resumption
        resumption = nil
        if let offered, Self.isResumed(ssl, offered) {
            memory.chain = offered.chain
            isAcceptedByPolicy = true
            // A session of TLS 1.2 can be reused; OpenSSL reports none after a resumption.
            if offered.version == .tls12 { memory.received(offered) }
        } else {
            guard client == nil || memory.verdict == X509_V_OK && SSL_session_reused(ssl) == 0 else { throw refusal() }
        }
        let settled = describe(chain: memory.chain, overruled: overruled)
        negotiated = settled
        if offered != nil, let client, let cache = client.sessionCache {
            let now = Int64(time(nil))
            cache.offerAnswered(client.sessionKey, isResumed: settled.isResumed, now: now)
            memory.storesSessions = cache.wants(client.sessionKey, now: now)
        }
        cacheSessions()
        if !memory.storesSessions { memory.chain = [] }
        return settled
    }

    /// Adds the sessions from the server to the cache.
    private func cacheSessions() {
        guard !memory.receivedSessions.isEmpty else { return }
        let sessions = exchange(&memory.receivedSessions, with: [])
        guard let client, let cache = client.sessionCache, isAcceptedByPolicy, let negotiated else { return }
        // Without the extended master secret, and so without a binding, a man in the middle can give two connections
        // the same keys (RFC 7627 §5.3).
        guard negotiated.tlsExporter != nil else { return }
        for var session in sessions {
            session.chain = memory.chain
            cache.insert(session, for: client.sessionKey, now: Int64(time(nil)))
        }
    }

    /// Answers ``Progress/needsDecision(_:)``.
    public func decide(isAccepted: Bool) {
        guard let evaluation, memory.verdict == nil else { return }
        if isAccepted {
            overruled = evaluation.problems
            memory.verdict = X509_V_OK
        } else {
            memory.verdict = evaluation.alertCode
        }
    }

    private func refusal() -> TransportError {
        evaluation?.refusal ?? TransportError(.tlsFailed, "The peer sent no certificate.")
    }

    // MARK: Bytes

    /// Decrypts bytes from the network; empty if no record is complete, and at the peer's end (``isPeerFinished``).
    public func decrypt(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> [UInt8] {
        // Plain text is shorter than its record, but a record may have begun in the previous call.
        let capacity = max(bytes.count, memory.backlog.count) + min(lastInputCount, Self.recordSize)
        lastInputCount = bytes.count
        return try memory.withInput(bytes) { () throws(TransportError) in try readAll(capacity: capacity) }
    }

    /// The largest plain text of one record (RFC 8446 §5.1), with room for what padding may add.
    static let recordSize = 16_640

    /// The same into memory of the caller, which has room for so many bytes and for one record more.
    ///
    /// - Returns: How many bytes were written.
    func decrypt(
        _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> Int {
        precondition(target.count >= bytes.count + Self.recordSize, "plain text must fit")
        lastInputCount = bytes.count
        return try memory.withInput(bytes) { () throws(TransportError) in
            let (count, failure) = read(into: target)
            cacheSessions()
            // The reader gets valid data from before the error; the next call reports the error again.
            if let failure, count == 0 { throw failure }
            return count
        }
    }

    /// Whether there are bytes that were appended and not decrypted.
    var hasInput: Bool { memory.hasInput }

    private func readAll(capacity: Int) throws(TransportError) -> [UInt8] {
        var plaintext: [UInt8] = []
        var chunk = max(capacity, 1024)
        var failure: TransportError?
        var isFull = true
        while isFull {
            let part = [UInt8](unsafeUninitializedCapacity: chunk) { buffer, count in
                (count, failure) = read(into: UnsafeMutableRawBufferPointer(buffer))
                isFull = count == buffer.count
            }
            if plaintext.isEmpty { plaintext = part } else { plaintext += part }
            chunk = Self.recordSize
        }
        cacheSessions()
        // The reader gets valid data from before the error; the next call reports the error again.
        if let failure, plaintext.isEmpty { throw failure }
        return plaintext
    }

    /// Reads until there is nothing more, or until the target is full.
    private func read(into target: UnsafeMutableRawBufferPointer) -> (count: Int, failure: TransportError?) {
        var count = 0
        Self.clearErrors()
        while count < target.count {
            let read = SSL_read(ssl, target.baseAddress?.advanced(by: count), Int32(clamping: target.count - count))
            if read > 0 {
                count += Int(read)
                // Asking once more when nothing is left costs a third of a read.
                if !memory.hasInput, SSL_has_pending(ssl) == 0 { return (count, nil) }
                continue
            }
            switch SSL_get_error(ssl, read) {
            case SSL_ERROR_WANT_READ: return (count, nil)
            case SSL_ERROR_ZERO_RETURN:
                hasPeerFinished = true
                return (count, nil)
            default: return (count, TransportError(tls: "The TLS connection failed"))
            }
        }
        return (count, nil)
    }

    /// Old errors on this thread would be taken for those of the next call. Usually there are none, and looking costs less than
    /// clearing.
    private static func clearErrors() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Encrypts `bytes` into the output: one call, as few records as possible.
    public func encrypt(_ bytes: [UInt8]) throws(TransportError) {
        var offset = 0
        while offset < bytes.count {
            Self.clearErrors()
            let written = bytes.withUnsafeBytes {
                SSL_write(ssl, $0.baseAddress?.advanced(by: offset), Int32(clamping: $0.count - offset))
            }
            guard written > 0 else { throw TransportError(tls: "The TLS connection failed") }
            offset += Int(written)
        }
    }

    /// Ends our half: `close_notify` goes into the output.
    public func finishWriting() {
        guard isEstablished, SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 else { return }
        Self.clearErrors()
        SSL_shutdown(ssl)
    }

    /// Whether the buffers of two records are kept while they are empty, 34 KiB. Making them again takes three of a hundred
    /// instructions of a short message that is received and answered.
    func keepBuffers(_ areKept: Bool) {
        let mode = Int(SSL_MODE_RELEASE_BUFFERS)
        SSL_ctrl(ssl, areKept ? SSL_CTRL_CLEAR_MODE : SSL_CTRL_MODE, mode, nil)
        // Those that contain a part of a record are given back when it is complete.
        if !areKept { _ = SSL_free_buffers(ssl) }
    }

    /// Whether there are bytes for the network.
    public var hasOutput: Bool { !memory.output.isEmpty }

    /// Returns and clears the bytes for the network.
    public func takeOutput() -> [UInt8] {
        exchange(&memory.output, with: [])
    }

    /// For extensions of this type in other files.
    func withSSL<R>(_ body: (OpaquePointer) -> R) -> R {
        body(ssl)
    }
}
