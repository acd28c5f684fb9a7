internal import ChatEngine
internal import SASLMechanisms
internal import XMPPStream

extension StreamFailure {
    /// The message for the failures that users encounter; the others have the library's text.
    var phrase: Phrase {
        switch code {
        case .encryptionRefused: Phrase("The server does not allow an encrypted connection.")
        case .loginTimedOut, .serverUnresponsive: Phrase("The server did not respond in time.")
        case .closedDuringLogin: Phrase("The server closed the connection.")
        case .connectionLost: Phrase("The connection was lost.")
        case .serverNotFound: Phrase("The server was not found.")
        case .serverUnreachable: Phrase("The server could not be reached.")
        case .notXMPP: Phrase("The server at that address is not an XMPP server for clients.")
        case .credentialsRejected: Phrase("The user name or the password is wrong.")
        case .accountDisabled: Phrase("The account is disabled.")
        case .credentialsExpired: Phrase("The password has expired.")
        case .authenticationUnavailable: Phrase("The server cannot check passwords at the moment.")
        case .authenticationNotOffered: Phrase("The server offers no login on this connection.")
        case .serverNotAuthentic: Phrase("The server could not prove that it knows the account.")
        case .accountMismatch: Phrase("The server opened a session for another account than yours.")
        case .resourceConflict: Phrase("Another client is connected with the same resource.")
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
