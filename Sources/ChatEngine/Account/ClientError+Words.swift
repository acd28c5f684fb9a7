internal import Localization
public import XMPPClient
internal import XMPPStanzas

extension ClientError {
    /// What happened, as a sentence in the person's language.
    public var words: String {
        switch code {
        case .notConnected, .connectionFailed, .sessionEnded, .cancelled:
            return localized("This needs a connection; try again when the account is online.")
        case .timedOut: return localized("The server did not answer in time. Try again.")
        case .stanzaTooLarge: return localized("This is too long: the server does not accept so much at once.")
        case .stanzaRefused:
            return localized("The server ended the connection because of this, so it is not sent again.")
        case .refused: break
        default: return localized("It did not work: %@", sentence)
        }
        switch stanzaError?.condition {
        case .itemNotFound?, .jidMalformed?: return localized("There is nobody with this address.")
        case .notAllowed?, .forbidden?, .notAuthorized?, .policyViolation?:
            return localized("The server does not allow it.")
        case .serviceUnavailable?, .featureNotImplemented?: return localized("The server cannot do that.")
        case .remoteServerNotFound?, .remoteServerTimeout?: return localized("The other server cannot be reached.")
        case .resourceConstraint?: return localized("The server takes no more. Try again later.")
        default: return localized("The server did not take it: %@", sentence)
        }
    }
}
