import COpenSSL
import Glibc
import Synchronization

/// The authorities of a trust policy, read once per process and file.
///
/// `@unchecked Sendable`: the OpenSSL store is filled before the value is published; OpenSSL locks lookups.
final class CertificateAuthorities: @unchecked Sendable {
    private let store: OpaquePointer
    /// Whether the file contains revocation lists, so that revocation is checked.
    private var hasRevocationLists = false

    private init(_ anchors: TrustPolicy.Anchors) throws(TransportError) {
        guard let store = X509_STORE_new() else { throw TransportError(tls: "Reading the trusted authorities") }
        self.store = store
        switch anchors {
        case .system: X509_STORE_set_default_paths(store)
        case .systemAnd(let file):
            X509_STORE_set_default_paths(store)
            try add(file)
        case .file(let file): try add(file)
        }
    }

    deinit { X509_STORE_free(store) }

    private func add(_ file: String) throws(TransportError) {
        guard access(file, R_OK) == 0 else {
            throw TransportError(
                .authoritiesUnreadable, file,
                "The certificate authorities cannot be read from \(file): \(String(cString: strerror(errno))).")
        }
        ERR_clear_error()
        let lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file())
        guard X509_load_cert_crl_file(lookup, file, X509_FILETYPE_PEM) > 0 else {
            throw TransportError(
                tls: "Reading the trusted authorities from \(file)", .invalidConfiguration,
                file: UnusableFile(.authoritiesUnreadable, file))
        }
        let objects = X509_STORE_get0_objects(store)
        for index in 0..<max(0, OPENSSL_sk_num(objects)) {
            guard let object = OPENSSL_sk_value(objects, index) else { continue }
            if X509_OBJECT_get_type(OpaquePointer(object)) == X509_LU_CRL { hasRevocationLists = true }
        }
    }

    // MARK: Judging

    private final class Findings {
        var problems: [CertificateProblem] = []
    }

    private static let findingsIndex = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_X509_STORE_CTX, 0, nil, nil, nil, nil)

    /// All problems of a chain, leaf first, except its name.
    func problems(of chain: [Certificate]) -> [CertificateProblem] {
        guard let leaf = chain.first, let context = X509_STORE_CTX_new() else { return [.other("no memory")] }
        defer { X509_STORE_CTX_free(context) }
        let untrusted = OPENSSL_sk_new_null()
        defer { OPENSSL_sk_free(untrusted) }
        for certificate in chain.dropFirst() { OPENSSL_sk_push(untrusted, UnsafeRawPointer(certificate.pointer)) }
        guard X509_STORE_CTX_init(context, store, leaf.pointer, untrusted) == 1 else { return [.other("no memory")] }
        X509_STORE_CTX_set_default(context, "ssl_server")
        let parameters = X509_STORE_CTX_get0_param(context)
        // 112 bits: RSA from 2048 bits on, no SHA-1.
        X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        // An intermediate authority or a server's own certificate can be the anchor if the user configured it.
        var flags = UInt(X509_V_FLAG_PARTIAL_CHAIN)
        if hasRevocationLists { flags |= UInt(X509_V_FLAG_CRL_CHECK) }
        X509_VERIFY_PARAM_set_flags(parameters, flags)
        let findings = Findings()
        return withExtendedLifetime(findings) {
            X509_STORE_CTX_set_ex_data(context, Self.findingsIndex, Unmanaged.passUnretained(findings).toOpaque())
            X509_STORE_CTX_set_verify_cb(context) { isGood, context in
                // Continuing after an error finds the other ones.
                if isGood == 0 { CertificateAuthorities.note(context) }
                return 1
            }
            if X509_verify_cert(context) <= 0 && findings.problems.isEmpty {
                findings.problems = [.other("it could not be checked")]
            }
            return findings.problems
        }
    }

    private static func note(_ context: OpaquePointer?) {
        guard let pointer = X509_STORE_CTX_get_ex_data(context, findingsIndex) else { return }
        let findings = Unmanaged<Findings>.fromOpaque(pointer).takeUnretainedValue()
        let certificate = Certificate(retaining: X509_STORE_CTX_get_current_cert(context))
        guard
            let problem = CertificateProblem(code: X509_STORE_CTX_get_error(context), certificate: certificate),
            !findings.problems.contains(problem)
        else { return }
        findings.problems.append(problem)
    }

    // MARK: Cache

    private struct Key: Hashable {
        var anchors: TrustPolicy.Anchors
        /// Modification time of the file: a changed file is read again.
        var modified: [Int]
    }

    private static let cache = Mutex<[Key: CertificateAuthorities]>([:])

    private static func key(_ anchors: TrustPolicy.Anchors) -> Key {
        guard let file = anchors.file else { return Key(anchors: anchors, modified: []) }
        var status = stat()
        guard stat(file, &status) == 0 else { return Key(anchors: anchors, modified: []) }
        return Key(
            anchors: anchors,
            modified: [Int(status.st_ino), status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec])
    }

    /// Whether the authorities of `anchors` are in memory.
    static func areLoaded(_ anchors: TrustPolicy.Anchors) -> Bool {
        let key = key(anchors)
        return cache.withLock { $0[key] != nil }
    }

    /// Returns the authorities of `anchors` from memory, or reads them, which blocks on the disk.
    static func load(_ anchors: TrustPolicy.Anchors) throws(TransportError) -> CertificateAuthorities {
        let key = key(anchors)
        if let known = cache.withLock({ $0[key] }) { return known }
        let authorities = try CertificateAuthorities(anchors)
        cache.withLock { cache in
            for stale in cache.keys where stale.anchors == anchors { cache[stale] = nil }
            cache[key] = authorities
        }
        return authorities
    }
}
