internal import MessageFeatures
internal import TerminalApp
internal import TransportLayer

extension CertificateProblem {
    /// The name of the kind of problem in JSON.
    var code: String {
        switch self {
        case .expired: "certificate-expired"
        case .notYetValid: "certificate-not-yet-valid"
        case .wrongName: "certificate-wrong-name"
        case .selfSigned: "certificate-self-signed"
        case .unknownAuthority: "certificate-unknown-authority"
        case .revoked: "certificate-revoked"
        case .notPinned: "certificate-not-pinned"
        case .other: "certificate-unacceptable"
        }
    }

    var reason: Phrase {
        switch self {
        case .expired(_, let date): Phrase("The certificate expired on %@.", dayText(date))
        case .notYetValid(_, let date): Phrase("The certificate is not valid before %@.", dayText(date))
        case .wrongName(let expected, let names):
            names.isEmpty
                ? Phrase("The certificate is not for any server, so it is not for %@.", expected)
                : Phrase("The certificate is not for %@ but for %@.", expected, names.joined(separator: ", "))
        case .selfSigned: Phrase("The certificate is self-signed: no trusted authority has signed it.")
        case .unknownAuthority(let issuer): Phrase("The certificate comes from an unknown authority: %@.", issuer)
        case .revoked: Phrase("The certificate was revoked by its authority.")
        case .notPinned: Phrase("The certificate is not the one that was accepted for this account.")
        case .other(let words): Phrase("The certificate is not acceptable: %@.", words)
        }
    }

    var advice: Phrase {
        switch self {
        case .expired: Phrase("Ask the operators of the server to renew it; do not log in before.")
        case .notYetValid: Phrase("Check date and time of this computer.")
        case .wrongName(let expected, _):
            Phrase("Check the address; the server needs a certificate for %@, whatever its host in DNS.", expected)
        case .selfSigned, .unknownAuthority:
            Phrase("If it is your own server, use --ca FILE, or --trust with the fingerprint. Otherwise do not log in.")
        case .revoked, .other: Phrase("Do not log in; ask the operators of the server.")
        case .notPinned: Phrase("Ask the operators of the server for the new fingerprint, then give it with --trust.")
        }
    }
}

/// `2026-05-31`, in UTC like the dates of certificates.
func dayText(_ secondsSince1970: Int64) -> String {
    String(Timestamp(millisecondsSince1970: secondsSince1970 * 1000).description.prefix(10))
}
