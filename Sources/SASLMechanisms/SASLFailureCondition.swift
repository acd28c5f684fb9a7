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

/// Why one of the offered mechanisms is not used.
public struct SASLRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The reason.
    public enum Reason: Sendable, Hashable {
        /// The mechanism is not implemented, or its hash function is not available.
        case unknown
        /// The policy does not allow it.
        case notAllowed
        /// It would send the password over an unencrypted connection.
        case connectionNotEncrypted
        /// It needs something that the credentials do not contain.
        case credentialsMissing
        /// There is no kind of channel binding that both ends support.
        case noCommonChannelBinding
        /// The policy requires channel binding, or a bound exchange has already failed on this connection.
        case notChannelBound
        /// It is weaker than the mechanism of the previous login (XEP-0474 §6): the list may be a forgery.
        case weakerThanBefore
        /// It was already tried on this connection.
        case alreadyTried
    }

    /// The mechanism's name as the server sent it.
    public let mechanism: String
    /// Why it is not used.
    public let reason: Reason

    public init(mechanism: String, reason: Reason) {
        self.mechanism = mechanism
        self.reason = reason
    }

    /// The reason as part of a sentence in English.
    public var description: String {
        switch reason {
        case .unknown: "\(mechanism) is not supported"
        case .notAllowed: "\(mechanism) is not allowed by the settings"
        case .connectionNotEncrypted: "\(mechanism) needs an encrypted connection"
        case .credentialsMissing: "\(mechanism) needs credentials that are missing"
        case .noCommonChannelBinding: "\(mechanism) has no channel binding that both sides support"
        case .notChannelBound: "\(mechanism) has no channel binding"
        case .weakerThanBefore: "\(mechanism) is weaker than the previous login"
        case .alreadyTried: "\(mechanism) has already failed"
        }
    }
}

/// The reason of a SCRAM server in `e=` (RFC 5802 §7, `server-error-value`).
public struct SCRAMServerError: RawRepresentable, Error, Sendable, Hashable, CustomStringConvertible {
    /// The value on the wire; a server may send one that is not in the RFC.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let invalidEncoding = SCRAMServerError(rawValue: "invalid-encoding")
    public static let extensionsNotSupported = SCRAMServerError(rawValue: "extensions-not-supported")
    public static let invalidProof = SCRAMServerError(rawValue: "invalid-proof")
    public static let channelBindingsDoNotMatch = SCRAMServerError(rawValue: "channel-bindings-dont-match")
    public static let serverDoesSupportChannelBinding = SCRAMServerError(
        rawValue: "server-does-support-channel-binding")
    public static let channelBindingNotSupported = SCRAMServerError(rawValue: "channel-binding-not-supported")
    public static let unsupportedChannelBindingType = SCRAMServerError(rawValue: "unsupported-channel-binding-type")
    public static let unknownUser = SCRAMServerError(rawValue: "unknown-user")
    public static let invalidUsernameEncoding = SCRAMServerError(rawValue: "invalid-username-encoding")
    public static let noResources = SCRAMServerError(rawValue: "no-resources")
    public static let otherError = SCRAMServerError(rawValue: "other-error")

    /// Whether the reason means that someone modified the exchange in transit.
    public var meansTampering: Bool {
        self == .channelBindingsDoNotMatch || self == .serverDoesSupportChannelBinding
    }

    /// The meaning of the reason, in English. A reason outside the RFC reads as "other-error", as §7 requires.
    public var description: String {
        switch self {
        case .invalidEncoding: "The server could not decode the login."
        case .extensionsNotSupported: "The server does not know an extension that the login demands."
        case .invalidProof: "The password is wrong."
        case .channelBindingsDoNotMatch:
            "The two ends see different TLS connections: a third party may be listening."
        case .serverDoesSupportChannelBinding:
            "The server's offer was changed on the way: a third party may be listening."
        case .channelBindingNotSupported: "The server cannot bind the login to the TLS connection."
        case .unsupportedChannelBindingType: "The server cannot bind the login to the TLS connection this way."
        case .unknownUser: "The server does not know this user."
        case .invalidUsernameEncoding: "The server could not read the user name."
        case .noResources: "The server has no resources for the login."
        default: "The server refused the login without a reason that is known here."
        }
    }
}
