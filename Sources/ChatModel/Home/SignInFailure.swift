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
        self.init(
            Wording.failure(error, domain: domain, certificate: certificate),
            error.streamFailure.flatMap { Self.field($0.code) })
    }

    private static func field(_ code: StreamFailure.Code) -> Field? {
        switch code {
        case .credentialsRejected, .credentialsExpired: .password
        case .serverNotFound: .address
        case .encryptionRefused, .encryptionFailed, .injectedBeforeEncryption, .settingsUnusable, .notXMPP,
            .serverMismatch:
            .server
        default: nil
        }
    }
}
