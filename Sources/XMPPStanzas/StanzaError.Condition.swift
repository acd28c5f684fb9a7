extension StanzaError {
    /// The conditions that RFC 6120 §8.3.3 defines; the raw value is the name of the element.
    public enum Condition: String, Sendable, Hashable, CaseIterable {
        case badRequest = "bad-request"
        case conflict
        case featureNotImplemented = "feature-not-implemented"
        case forbidden
        case gone
        case internalServerError = "internal-server-error"
        case itemNotFound = "item-not-found"
        case jidMalformed = "jid-malformed"
        case notAcceptable = "not-acceptable"
        case notAllowed = "not-allowed"
        case notAuthorized = "not-authorized"
        case policyViolation = "policy-violation"
        case recipientUnavailable = "recipient-unavailable"
        case redirect
        case registrationRequired = "registration-required"
        case remoteServerNotFound = "remote-server-not-found"
        case remoteServerTimeout = "remote-server-timeout"
        case resourceConstraint = "resource-constraint"
        case serviceUnavailable = "service-unavailable"
        case subscriptionRequired = "subscription-required"
        case undefinedCondition = "undefined-condition"
        case unexpectedRequest = "unexpected-request"
    }
}

extension StanzaError.Condition {
    /// The type that RFC 6120 §8.3.3 recommends for the condition.
    public var recommendedType: StanzaError.Kind {
        switch self {
        case .badRequest, .jidMalformed, .notAcceptable, .policyViolation, .redirect: .modify
        case .forbidden, .notAuthorized, .registrationRequired, .subscriptionRequired: .auth
        case .recipientUnavailable, .remoteServerTimeout, .resourceConstraint, .unexpectedRequest: .wait
        case .conflict, .featureNotImplemented, .gone, .internalServerError, .itemNotFound, .notAllowed,
            .remoteServerNotFound, .serviceUnavailable, .undefinedCondition:
            .cancel
        }
    }

    /// What the condition means, as a sentence for a person.
    public var sentence: String {
        switch self {
        case .badRequest: "The other side could not understand what was sent."
        case .conflict: "Something with the same name or address exists already."
        case .featureNotImplemented: "The other side does not know how to do this."
        case .forbidden: "This account is not permitted to do this."
        case .gone: "The address has been given up for good."
        case .internalServerError: "The server failed because of a fault of its own."
        case .itemNotFound: "The address or item does not exist."
        case .jidMalformed: "The address is not a valid XMPP address."
        case .notAcceptable: "What was sent does not meet the receiver's conditions."
        case .notAllowed: "Nobody is allowed to do this here."
        case .notAuthorized: "A login or a password is needed first."
        case .policyViolation: "What was sent breaks a rule of the service."
        case .recipientUnavailable: "The receiver cannot be reached at the moment."
        case .redirect: "The receiver can be found at another address for now."
        case .registrationRequired: "One has to register with the service first."
        case .remoteServerNotFound: "The receiver's server does not exist or cannot be found."
        case .remoteServerTimeout: "The receiver's server did not answer in time."
        case .resourceConstraint: "The server is too busy to do this now."
        case .serviceUnavailable: "The receiver does not offer this service."
        case .subscriptionRequired: "One has to be on the receiver's contact list first."
        case .undefinedCondition: "The other side reported an error that the standard does not name."
        case .unexpectedRequest: "The request came at a moment when it was not expected."
        }
    }
}
