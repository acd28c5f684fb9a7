import COpenSSL
import Synchronization

/// An OpenSSL context: the settings that connections share.
///
/// `@unchecked Sendable`: the context is configured before the value is published and never changes; OpenSSL itself
/// accesses it from several threads with locks and reference counts.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Only forward secrecy and authenticated encryption (RFC 9325 §4.2). TLS 1.3 has nothing else.
    private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM:DHE+CHACHA20:!aNULL:!eNULL"

    private init(_ method: OpaquePointer?) throws(TransportError) {
        guard let pointer = SSL_CTX_new(method) else { throw TransportError(tls: "Starting TLS") }
        self.pointer = pointer
        SSL_CTX_set_options(pointer, UInt64(TLSContext.options))
        // All connections share one context per process; idle connections release their buffers.
        SSL_CTX_ctrl(
            pointer, SSL_CTRL_MODE,
            Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil)
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        SSL_CTX_set_cipher_list(pointer, Self.ciphers)
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    }

    deinit { SSL_CTX_free(pointer) }

    private static let options = (1 << 30 /* SSL_OP_NO_RENEGOTIATION */) | (1 << 17 /* SSL_OP_NO_COMPRESSION */)

    // MARK: Client

    private static let sharedClient = Mutex<TLSContext?>(nil)

    /// The context of all client connections. It has no authorities: chains are verified outside OpenSSL's callbacks.
    static func client() throws(TransportError) -> TLSContext {
        if let context = sharedClient.withLock({ $0 }) { return context }
        let context = try TLSContext(TLS_client_method())
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(context.pointer, judgeChain, nil)
        // OpenSSL must not store sessions: its own cache would ignore which policy trusted them.
        SSL_CTX_ctrl(
            context.pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL), nil)
        SSL_CTX_sess_set_new_cb(context.pointer) { ssl, session in
            TLSEngine.sessionReceived(ssl, session)
            // No reference is retained.
            return 0
        }
        return sharedClient.withLock { shared in
            if let shared { return shared }
            shared = context
            return context
        }
    }

    // MARK: Server

    private static let sharedServers = Mutex<[TLSServerConfiguration: TLSContext]>([:])

    static func server(_ configuration: TLSServerConfiguration) throws(TransportError) -> TLSContext {
        if let context = sharedServers.withLock({ $0[configuration] }) { return context }
        let context = try TLSContext(TLS_server_method())
        guard SSL_CTX_use_certificate_chain_file(context.pointer, configuration.certificateChainFile) == 1 else {
            throw TransportError(
                tls: "Reading the certificate \(configuration.certificateChainFile)", .invalidConfiguration)
        }
        guard SSL_CTX_use_PrivateKey_file(context.pointer, configuration.privateKeyFile, SSL_FILETYPE_PEM) == 1 else {
            throw TransportError(tls: "Reading the private key \(configuration.privateKeyFile)", .invalidConfiguration)
        }
        SSL_CTX_set_alpn_select_cb(context.pointer, selectApplicationProtocol, nil)
        return sharedServers.withLock { shared in
            // The first one stays, because it can decrypt only the tickets that it issued.
            if let first = shared[configuration] { return first }
            shared[configuration] = context
            return context
        }
    }
}

/// OpenSSL's callback to verify the peer's chain. The first call stores the chain and suspends the handshake; the
/// second call returns the result.
private func judgeChain(_ context: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    guard let pointer = X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()) else { return 0 }
    let ssl = OpaquePointer(pointer)
    guard let memory = TLSEngine.memory(of: ssl) else { return 0 }
    if let verdict = memory.verdict {
        X509_STORE_CTX_set_error(context, verdict)
        return verdict == X509_V_OK ? 1 : 0
    }
    memory.chain = Certificate.list(X509_STORE_CTX_get0_untrusted(context))
    if memory.chain.isEmpty, let leaf = Certificate(retaining: X509_STORE_CTX_get0_cert(context)) {
        memory.chain = [leaf]
    }
    return SSL_ctrl(ssl, SSL_CTRL_SET_RETRY_VERIFY, 0, nil) > 0 ? 1 : 0
}

/// ALPN on the server side: the first of our protocols that the client offers; none is not an error.
private func selectApplicationProtocol(
    _ ssl: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32, _: UnsafeMutableRawPointer?
) -> Int32 {
    guard let ssl, let memory = TLSEngine.memory(of: ssl), let offered, let selected, let length else {
        return SSL_TLSEXT_ERR_NOACK
    }
    for name in memory.applicationProtocols {
        var offset = 0
        while offset < Int(offeredLength) {
            let count = Int(offered[offset])
            guard offset + 1 + count <= Int(offeredLength) else { break }
            if name.utf8.elementsEqual(UnsafeBufferPointer(start: offered + offset + 1, count: count)) {
                selected.pointee = offered + offset + 1
                length.pointee = UInt8(count)
                return SSL_TLSEXT_ERR_OK
            }
            offset += 1 + count
        }
    }
    return SSL_TLSEXT_ERR_NOACK
}
