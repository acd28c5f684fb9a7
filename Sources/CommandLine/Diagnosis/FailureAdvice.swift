internal import ChatModel
internal import SASLMechanisms
internal import TransportLayer
internal import XMPPStream

// `Wording` describes failures; this adds advice about the options of this program.

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

    var reason: Phrase { .wording { Wording.failure(self) } }

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

extension StreamFailure {
    var reason: Phrase { .wording { Wording.failure(self, domain: nil) } }

    /// What to do about it.
    var advice: Phrase {
        switch category {
        case .authentication:
            switch code {
            case .credentialsRejected: Phrase("Then run `hongyan login`.")
            case .credentialsExpired: Phrase("Set a new password, then run `hongyan login`.")
            default: Phrase("Ask the operators of the server.")
            }
        case .encryption: Phrase("Do not log in from this network.")
        case .policy:
            switch code {
            case .noAcceptableMechanism where saslError?.meansDowngrade == true:
                Phrase("If the people who run the server confirm the change, run `hongyan login`.")
            case .noAcceptableMechanism:
                Phrase("The server must offer SCRAM: the password is never sent in readable form.")
            default: Phrase("Ask the operators of the server.")
            }
        case .settings: Phrase("Change the setting and try again.")
        case .conflict: Phrase("Log in with another resource.")
        case .connection: Phrase("Try again later.")
        case .protocolViolation:
            Phrase("Check --host and --port; otherwise it is a bug in the server or in this program.")
        }
    }
}
