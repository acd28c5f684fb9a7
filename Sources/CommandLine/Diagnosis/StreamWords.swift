internal import ChatEngine
internal import SASLMechanisms
internal import XMPPStream

extension StreamFailure {
    /// What happened, for those failures that people meet; the others in the library's words.
    var phrase: Phrase {
        switch code {
        case .encryptionRefused: Phrase("The server does not allow an encrypted connection.")
        case .loginTimedOut, .serverUnresponsive: Phrase("The server did not answer in time.")
        case .closedDuringLogin: Phrase("The server broke the connection off.")
        case .connectionLost: Phrase("The connection was lost.")
        case .serverNotFound: Phrase("The server was not found.")
        case .serverUnreachable: Phrase("The server could not be reached.")
        case .notXMPP: Phrase("What answers there is not an XMPP server for clients.")
        case .credentialsRejected: Phrase("The user name or the password is wrong.")
        case .accountDisabled: Phrase("The account is disabled.")
        case .credentialsExpired: Phrase("The password has expired.")
        case .authenticationUnavailable: Phrase("The server cannot check passwords at the moment.")
        case .authenticationNotOffered: Phrase("The server offers no login on this connection.")
        case .serverNotAuthentic: Phrase("The server could not prove that it knows the account.")
        case .accountMismatch: Phrase("The server opened a session for another account than yours.")
        case .resourceConflict: Phrase("Another client is connected under the same resource.")
        case .noAcceptableMechanism where saslError?.meansDowngrade == true:
            Phrase(
                "The server offers only weaker ways to log in than before, so nothing was sent; somebody may be listening in between."
            )
        case .malformedXML:
            senderName.map {
                Phrase(
                    "The server passed on something unreadable from %@; if this happens again, block this address or ask your provider.",
                    $0)
            } ?? .verbatim(description)
        default: .verbatim(description)
        }
    }

    /// What to do about it.
    var advice: Phrase {
        switch category {
        case .authentication:
            switch code {
            case .credentialsRejected: Phrase("Check both, then run `hongyan login`.")
            case .credentialsExpired: Phrase("Set a new password, then run `hongyan login`.")
            default: Phrase("Ask the people who run the server.")
            }
        case .encryption: Phrase("Do not log in from this network.")
        case .policy:
            switch code {
            case .noAcceptableMechanism where saslError?.meansDowngrade == true:
                Phrase("If the people who run the server confirm the change, run `hongyan login`.")
            case .noAcceptableMechanism: Phrase("The server must offer SCRAM: a password is never sent readable.")
            default: Phrase("Ask the people who run the server.")
            }
        case .settings: Phrase("Change the setting and try again.")
        case .conflict: Phrase("Log in under another resource.")
        case .connection: Phrase("Try again in a while.")
        case .protocolViolation: Phrase("Check --host and --port; else this is a fault in one of the two programs.")
        }
    }
}
