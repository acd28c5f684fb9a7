/// Why a server refused an authentication (RFC 6120 §6.5); the raw value is the element's name.
public enum SASLFailureCondition: String, Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case aborted
    case accountDisabled = "account-disabled"
    case credentialsExpired = "credentials-expired"
    case encryptionRequired = "encryption-required"
    case incorrectEncoding = "incorrect-encoding"
    case invalidAuthorizationID = "invalid-authzid"
    case invalidMechanism = "invalid-mechanism"
    case malformedRequest = "malformed-request"
    case mechanismTooWeak = "mechanism-too-weak"
    case notAuthorized = "not-authorized"
    case temporaryFailure = "temporary-auth-failure"

    /// The meaning of the condition, in English.
    public var description: String {
        switch self {
        case .aborted: "The authentication was aborted."
        case .accountDisabled: "The account is disabled."
        case .credentialsExpired: "The password has expired and must be renewed."
        case .encryptionRequired: "The server wants an encrypted connection before this kind of login."
        case .incorrectEncoding: "The server could not decode what was sent as base64."
        case .invalidAuthorizationID: "The identity to act as is not valid or not permitted."
        case .invalidMechanism: "The server does not offer this kind of login."
        case .malformedRequest: "The server could not understand the login."
        case .mechanismTooWeak: "The server wants a stronger kind of login for this account."
        case .notAuthorized: "The user name or the password is wrong."
        case .temporaryFailure: "The server cannot check logins at the moment; try again later."
        }
    }

    /// Whether the same login may succeed later without any change.
    public var isTemporary: Bool { self == .temporaryFailure }

    /// Whether it can help to ask the user for the password again.
    package var asksForCredentials: Bool {
        switch self {
        case .credentialsExpired, .notAuthorized: true
        case .aborted, .accountDisabled, .encryptionRequired, .incorrectEncoding, .invalidAuthorizationID,
            .invalidMechanism, .malformedRequest, .mechanismTooWeak, .temporaryFailure:
            false
        }
    }

    /// Whether another mechanism of the same offer may succeed after this failure.
    public var allowsAnotherMechanism: Bool { self == .invalidMechanism || self == .mechanismTooWeak }
}
