import COpenSSL

/// A reference to an X.509 certificate of OpenSSL.
///
/// `@unchecked Sendable`: OpenSSL counts references atomically, locks its cache of parsed data, and this type never
/// changes a certificate.
final class Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Retains the certificate.
    init?(retaining pointer: OpaquePointer?) {
        guard let pointer, X509_up_ref(pointer) == 1 else { return nil }
        self.pointer = pointer
    }

    /// Reads a certificate; `nil` if the bytes are invalid.
    init?(der: [UInt8]) {
        let pointer = der.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_X509(nil, &cursor, bytes.count)
        }
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    deinit { X509_free(pointer) }

    func isSame(as other: OpaquePointer?) -> Bool {
        other.map { X509_cmp(pointer, $0) == 0 } ?? false
    }

    /// The certificates of an OpenSSL stack.
    static func list(_ stack: OpaquePointer?) -> [Certificate] {
        guard let stack else { return [] }
        return (0..<max(0, OPENSSL_sk_num(stack))).compactMap {
            OPENSSL_sk_value(stack, $0).flatMap { Certificate(retaining: OpaquePointer($0)) }
        }
    }

    var der: [UInt8] {
        let count = i2d_X509(pointer, nil)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
            var cursor = buffer.baseAddress
            initialized = Int(max(0, i2d_X509(pointer, &cursor)))
        }
    }

    var sha256: [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        guard X509_digest(pointer, EVP_sha256(), &hash, &count) == 1 else { return [] }
        return hash
    }

    var subject: String { Self.text(X509_get_subject_name(pointer)) }
    var issuer: String { Self.text(X509_get_issuer_name(pointer)) }
    var notBefore: Int64 { Self.seconds(X509_get0_notBefore(pointer)) }
    var notAfter: Int64 { Self.seconds(X509_get0_notAfter(pointer)) }

    /// A distinguished name in the order of RFC 4514.
    private static func text(_ name: OpaquePointer?) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        // RFC 4514's order and escapes, but letters outside ASCII stay readable.
        let strings =
            ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL | ASN1_STRFLGS_UTF8_CONVERT | ASN1_STRFLGS_DUMP_UNKNOWN
        let fields = XN_FLAG_SEP_COMMA_PLUS | XN_FLAG_DN_REV | XN_FLAG_FN_SN | XN_FLAG_DUMP_UNKNOWN_FIELDS
        X509_NAME_print_ex(bio, name, 0, UInt(strings) | UInt(fields))
        return readAll(bio)
    }

    private static func readAll(_ bio: OpaquePointer) -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 512)
        while case let count = BIO_read(bio, &part, Int32(part.count)), count > 0 { bytes += part.prefix(Int(count)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard let epoch = ASN1_TIME_set(nil, 0) else { return 0 }
        defer { ASN1_TIME_free(epoch) }
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return 0 }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
