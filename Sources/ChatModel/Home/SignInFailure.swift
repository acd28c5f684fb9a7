internal import ChatEngine
internal import Localization
internal import XMPPAddress
public import XMPPClient
internal import XMPPStream

/// Why signing in or creating an account did not work: a sentence in the person's language that says what to do, and the field
/// that it is about.
public struct SignInFailure: Error, Sendable, Hashable {
    /// What the person has to look at.
    public enum Field: Sendable, Hashable {
        case address, password, repeatedPassword, server, port, invitation
        /// A field of the provider's form, by its name.
        case form(String)
    }

    public let sentence: String
    public let field: Field?

    init(_ sentence: String, _ field: Field? = nil) {
        self.sentence = sentence
        self.field = field
    }

    /// The error of a connection that was to be made to the server of `domain`.
    ///
    /// - Parameter certificate: why the certificate was not trusted, if it was looked at.
    public init(_ error: ClientError, domain: String, certificate: String? = nil) {
        switch error.streamFailure?.code {
        case .credentialsRejected?:
            self.init(
                localized("The user name or the password is wrong. Check both; capital letters count."), .password)
        case .accountDisabled?: self.init(localized("The account is disabled. Ask your provider."))
        case .credentialsExpired?:
            self.init(localized("The password has expired. Set a new one with your provider."), .password)
        case .authenticationUnavailable?:
            self.init(localized("%@ cannot check passwords at the moment. Try again in a while.", domain))
        case .certificateRejected?:
            let reason = certificate ?? error.streamFailure?.text ?? error.sentence
            self.init(
                localized("%@ Nothing was sent. If this surprises you, do not sign in from this network.", reason))
        case .encryptionRefused?, .encryptionFailed?, .injectedBeforeEncryption?:
            self.init(
                localized("No safe connection to %@ can be made, so the password was not sent.", domain), .server)
        case .accountMismatch?:
            self.init(localized("%@ opened a session for another account than yours. Ask your provider.", domain))
        case .settingsUnusable?:
            self.init(
                localized("A setting cannot be used: %@", error.streamFailure?.text ?? error.sentence), .server)
        case .noAcceptableMechanism?, .authenticationNotOffered?:
            self.init(localized("%@ offers no safe way to sign in with a password.", domain))
        case .serverNotFound?:
            self.init(
                localized(
                    "There is no chat server %@. Check what stands behind the @; if it is right, ask your provider for host and port.",
                    domain), .address)
        case .serverUnreachable?, .connectionLost?, .closedDuringLogin?:
            self.init(
                localized(
                    "%@ cannot be reached. Check your network and try again; a firewall may be in the way.", domain))
        case .loginTimedOut?, .serverUnresponsive?, .resumptionTimedOut?:
            self.init(localized("%@ did not answer in time. Check your network and try again.", domain))
        case .notXMPP?, .serverMismatch?:
            self.init(
                localized("What answers there is not the chat server of %@. Check host and port.", domain), .server)
        case .malformedXML?:
            self.init(
                error.streamFailure?.senderWords
                    ?? localized("%@ sent something unreadable. If this happens again, ask your provider.", domain))
        default:
            self.init(
                error.code == .timedOut
                    ? localized("%@ did not answer in time. Check your network and try again.", domain)
                    : error.sentence)
        }
    }
}
