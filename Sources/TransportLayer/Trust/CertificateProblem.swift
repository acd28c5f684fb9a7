import COpenSSL

/// A reason not to trust a certificate, described by ``description`` in English.
public enum CertificateProblem: Sendable, Hashable, CustomStringConvertible {
    /// Seconds since 1970.
    case expired(subject: String, notAfter: Int64)
    /// Seconds since 1970.
    case notYetValid(subject: String, notBefore: Int64)
    /// It is for other names.
    case wrongName(expected: String, names: [String])
    /// It is signed by its own key, and no trusted authority signed it.
    case selfSigned(subject: String)
    /// Its issuer is not a trusted authority.
    case unknownAuthority(issuer: String)
    case revoked(subject: String)
    /// It is none of the pinned certificates.
    case notPinned(fingerprint: String)
    /// Anything else, with OpenSSL's message.
    case other(String)

    public var description: String {
        switch self {
        case .expired(let subject, let date): "The certificate of \(subject) expired on \(calendarDate(date))."
        case .notYetValid(let subject, let date):
            "The certificate of \(subject) is not valid before \(calendarDate(date))."
        case .wrongName(let expected, let names):
            names.isEmpty
                ? "The certificate is for no server name at all, so not for \(expected)."
                : "The certificate is not for \(expected) but for \(names.joined(separator: ", "))."
        case .selfSigned(let subject):
            "The certificate of \(subject) is self-signed, and no trusted authority signed it."
        case .unknownAuthority(let issuer): "The certificate was issued by an unknown authority: \(issuer)."
        case .revoked(let subject): "The certificate of \(subject) was revoked by its authority."
        case .notPinned(let fingerprint):
            "The certificate is not the expected one; its SHA-256 fingerprint is \(fingerprint)."
        case .other(let words): "The certificate is not acceptable: \(words)."
        }
    }

    /// The OpenSSL error that determines the TLS alert.
    var alertCode: Int32 {
        switch self {
        case .expired: X509_V_ERR_CERT_HAS_EXPIRED
        case .notYetValid: X509_V_ERR_CERT_NOT_YET_VALID
        case .wrongName: X509_V_ERR_HOSTNAME_MISMATCH
        case .selfSigned: X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
        case .unknownAuthority: X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
        case .revoked: X509_V_ERR_CERT_REVOKED
        case .notPinned, .other: X509_V_ERR_APPLICATION_VERIFICATION
        }
    }

    /// The problem for an error at a certificate of the chain; `nil` for an error that is not a reason to refuse.
    init?(code: Int32, certificate: Certificate?) {
        let subject = certificate?.subject ?? "unknown"
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired(subject: subject, notAfter: certificate?.notAfter ?? 0)
        case X509_V_ERR_CERT_NOT_YET_VALID:
            self = .notYetValid(subject: subject, notBefore: certificate?.notBefore ?? 0)
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: self = .selfSigned(subject: subject)
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_CERT_UNTRUSTED:
            self = .unknownAuthority(issuer: certificate?.issuer ?? "unknown")
        // Follows from the previous error and adds nothing.
        case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: return nil
        case X509_V_ERR_CERT_REVOKED: self = .revoked(subject: subject)
        // Only some authorities have lists; the absence of one proves nothing.
        case X509_V_ERR_UNABLE_TO_GET_CRL: return nil
        default: self = .other(X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)")
        }
    }
}
