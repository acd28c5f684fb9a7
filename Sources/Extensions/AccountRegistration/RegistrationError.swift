public import XMPPClient
internal import XMPPStanzas

/// Why an account was not created, changed or deleted.
public struct RegistrationError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable, CaseIterable {
        /// The server does not support in-band registration.
        case notOffered
        /// An account with this name already exists (`conflict`).
        case nameTaken
        /// The server requires answers that were not given.
        case answersMissing
        /// The server does not accept an answer (`not-acceptable`, `jid-malformed`, `bad-request`).
        case notAcceptable
        /// Too many accounts were created from this network recently (`resource-constraint`, `policy-violation`).
        case tooMany
        /// Accounts are created on a web page.
        case webPage
        /// Another refusal.
        case refused
        /// The connection failed before a response arrived.
        case connection
    }

    public var code: Code
    /// What happened and what to do, in English.
    public var description: String
    /// The text of the server, if it sent one.
    public var serverText: String?
    public var cause: ClientError?

    init(_ code: Code, _ description: String, cause: ClientError? = nil) {
        self.code = code
        self.cause = cause
        serverText = cause?.stanzaError?.text.best(for: [])
        self.description = serverText.map { "\(description) The server says: \($0)" } ?? description
    }

    /// Converts the server's error (XEP-0077 §3.1.1).
    public init(_ error: ClientError) {
        guard let condition = error.stanzaError?.condition else {
            self.init(.connection, error.description, cause: error)
            return
        }
        switch condition {
        case .conflict:
            self.init(.nameTaken, "An account with this name exists already; choose another name.", cause: error)
        case .notAcceptable, .jidMalformed, .badRequest:
            self.init(
                .notAcceptable, "The server does not accept the name, the password or another answer.", cause: error)
        case .resourceConstraint, .policyViolation:
            self.init(.tooMany, "The server creates no more accounts from here for now; try again later.", cause: error)
        case .notAllowed, .forbidden, .serviceUnavailable, .featureNotImplemented, .registrationRequired,
            .notAuthorized:
            self.init(
                .notOffered, "The server does not let programs create accounts; ask its operator for one.", cause: error
            )
        default:
            self.init(.refused, "The server refused: \(error.description)", cause: error)
        }
    }
}
