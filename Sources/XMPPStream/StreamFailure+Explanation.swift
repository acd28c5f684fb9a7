extension StreamFailure: CustomStringConvertible {
    /// What happened and what to do about it, in one or two sentences for the user.
    public var description: String {
        guard let text, !text.isEmpty else { return explanation }
        return "\(explanation) (\(text))"
    }

    /// The same without the text of the server.
    public var explanation: String {
        switch code {
        case .serverNotFound:
            "The server was not found. Check the part of the address after the @, and the network."
        case .serverUnreachable:
            "The server could not be reached. Check the network, then host and port, and try again."
        case .connectionLost:
            "The connection to the server was lost. Try again when the network is back."
        case .loginTimedOut:
            "The server did not finish the login in time. Try again later."
        case .resumptionTimedOut:
            "The server did not answer when the earlier session was to be resumed. Connect again for a new session."
        case .settingsUnusable:
            "A setting of this account cannot be used, so no connection was made. Change it and connect again."
        case .serverUnresponsive:
            "The server stopped answering. Connect again when the network is back."
        case .closedDuringLogin:
            "The server closed the connection during the login. Try again later."
        case .encryptionRefused:
            "The server does not allow an encrypted connection, so nothing was sent. Do not log in from this network."
        case .encryptionFailed:
            "An encrypted connection could not be made. The server's TLS settings or the network are at fault."
        case .certificateRejected:
            "The server's certificate was not accepted, so nothing was sent. Another host may be posing as the server."
        case .injectedBeforeEncryption:
            "Data was injected before the encrypted connection. Do not log in from this network."
        case .credentialsRejected:
            "The user name or the password is wrong. Check both and log in again."
        case .accountDisabled:
            "The account is disabled. Ask the people who run the server."
        case .credentialsExpired:
            "The password has expired. Set a new one and log in again."
        case .authenticationUnavailable:
            "The server cannot check passwords at the moment. Try again later."
        case .authenticationFailed:
            saslCondition.map { "The login was refused. \($0)" }
                ?? "The server refused the login without a reason that is known here."
        case .authenticationNotOffered:
            "The server offers no login on this connection. It may be set up for something else."
        case .noAcceptableMechanism:
            saslError.map { "\($0) Change the settings only if you trust this server and network." }
                ?? "The server offers no way to log in that the settings allow."
        case .furtherStepDemanded:
            "The server wants a further step for the login that is not known here."
        case .serverNotAuthentic:
            "The server could not prove that it knows the account. Do not log in: it may not be the real one."
        case .authenticationMalformed:
            saslError.map { "The login broke off. \($0)" } ?? "The server broke the rules of the login."
        case .resourceConflict:
            "Another client is connected under the same resource. Choose another resource or let the server choose."
        case .bindingRefused:
            stanzaError.map { "The server gave no address to this client. \($0)" }
                ?? "The server gave no usable address to this client."
        case .accountMismatch:
            "The server opened a session for another account than yours, so nothing was sent. It may not be the real one."
        case .sessionRefused:
            stanzaError.map { "The server did not start the session. \($0)" } ?? "The server did not start the session."
        case .streamError:
            streamErrorExplanation
        case .componentRefused:
            switch streamError?.condition {
            case .notAuthorized:
                "The server did not accept the secret of the component. Compare it with the server's configuration."
            case .conflict:
                "The component is connected already. End the other program, or wait until the server misses it."
            default:
                "The server knows no component of this name. Compare the name with the server's configuration."
            }
        case .notXMPP:
            "What answers there is not an XMPP server for clients. Check host and port."
        case .serverMismatch:
            "What answers there says that it is another server. Check host and port."
        case .unsupportedVersion:
            "The server speaks a version of XMPP that is too old."
        case .malformedXML:
            xmlError.map { "The server sent data that cannot be read. \($0)" }
                ?? "The server sent data that cannot be read."
        case .unexpectedElement:
            "The server sent something that has no place at this point of the connection."
        case .handledCountTooHigh:
            "The server confirmed more messages than it was sent, so no confirmation can be trusted. Connect again."
        }
    }

    private var streamErrorExplanation: String {
        guard let streamError else { return "The server ended the connection." }
        let advice =
            switch category {
            case .conflict: "Log in again to continue with this client."
            case .authentication: "Log in again."
            case .connection: "Connect again in a while."
            case .policy, .settings, .encryption: "Check the settings, or ask the people who run the server."
            case .protocolViolation: "This is a fault in one of the two programs."
            }
        return "\(streamError.condition.message) \(advice)"
    }
}
