public import XMLStreaming
public import XMPPAddress

/// Why a stanza could not be processed (RFC 6120 §8.3).
///
///     <error type='auth' by='example.org'>
///       <not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>
///       <text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas' xml:lang='en'>Please log in first.</text>
///     </error>
public struct StanzaError: Error, Sendable, Hashable {
    /// What the sender can do about an error (RFC 6120 §8.3.2).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Try again with valid credentials.
        case auth
        /// Do not try again: the error cannot be remedied.
        case cancel
        /// Proceed: the condition was only a warning.
        case `continue`
        /// Try again after changing what was sent.
        case modify
        /// Try again later: the error is temporary.
        case wait
    }

    public var type: Kind
    public var condition: Condition
    /// The text that the peer sent, for users or a log.
    public var text: LocalizedText
    /// The entity that detected the error, if it is not the stanza's receiver.
    public var by: JID?
    /// The new address: the URI inside `gone` and `redirect` (RFC 6120 §8.3.3.5 and §8.3.3.14).
    public var newAddress: String?
    /// A more precise condition from another namespace (RFC 6120 §8.3.4).
    public var applicationCondition: XMLElement?

    /// Creates an error; the default type is the one that the specification recommends for the condition.
    public init(
        _ condition: Condition, type: Kind? = nil, text: LocalizedText = LocalizedText(), by: JID? = nil,
        newAddress: String? = nil, applicationCondition: XMLElement? = nil
    ) {
        self.condition = condition
        self.type = type ?? condition.recommendedType
        self.text = text
        self.by = by
        self.newAddress = newAddress
        self.applicationCondition = applicationCondition
    }
}

extension StanzaError: XMLPayload, MessagePayload, PresencePayload, IQPayload {
    public static let name = XMLName("error", XMPPNamespace.client)
    static let textName = XMLName("text", XMPPNamespace.stanzaErrors)

    /// Reads an `<error/>` leniently: a missing or unknown condition becomes `undefined-condition` with a matching
    /// type.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        condition = .undefinedCondition
        text = LocalizedText()
        for child in element.children {
            let name = child.name
            if name == Self.textName {
                text.append(child.text, language: child.language ?? element.language)
            } else if name.namespace == XMPPNamespace.stanzaErrors {
                condition = Condition(rawValue: name.local) ?? .undefinedCondition
                let address = child.text.trimmed
                newAddress = address.isEmpty ? nil : address
            } else if applicationCondition == nil {
                applicationCondition = child
            }
        }
        type = element["type"].flatMap(Kind.init(rawValue:)) ?? condition.recommendedType
        by = element["by"].flatMap { try? JID($0) }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("type", type.rawValue)
        writer.attribute("by", by?.description)
        writer.start(XMLName(condition.rawValue, XMPPNamespace.stanzaErrors))
        if let newAddress { writer.text(newAddress) }
        writer.end()
        for variant in text {
            TextElement(name: Self.textName, text: variant.text, language: variant.language).encode(to: &writer)
        }
        if let applicationCondition { writer.write(applicationCondition) }
        writer.end()
    }
}

extension StanzaError: CustomStringConvertible {
    /// The meaning of the condition, followed by the peer's text if it sent one.
    public var description: String {
        guard let text = text.best(for: []), !text.isEmpty else { return condition.message }
        return "\(condition.message) (\(text))"
    }
}

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

    /// The meaning of the condition, in English.
    public var message: String {
        switch self {
        case .badRequest: "The receiver could not understand the request."
        case .conflict: "Something with the same name or address already exists."
        case .featureNotImplemented: "The receiver does not support this."
        case .forbidden: "This account is not permitted to do this."
        case .gone: "The address is permanently gone."
        case .internalServerError: "The server failed because of an internal error."
        case .itemNotFound: "The address or item does not exist."
        case .jidMalformed: "The address is not a valid XMPP address."
        case .notAcceptable: "The stanza does not meet the receiver's conditions."
        case .notAllowed: "This is not allowed here."
        case .notAuthorized: "This needs a login or a password."
        case .policyViolation: "The stanza breaks a rule of the service."
        case .recipientUnavailable: "The receiver cannot be reached at the moment."
        case .redirect: "The receiver is temporarily at another address."
        case .registrationRequired: "This needs a registration with the service."
        case .remoteServerNotFound: "The receiver's server does not exist or cannot be found."
        case .remoteServerTimeout: "The receiver's server did not answer in time."
        case .resourceConstraint: "The server is too busy to do this now."
        case .serviceUnavailable: "The receiver does not offer this service."
        case .subscriptionRequired: "This needs a place on the receiver's contact list."
        case .undefinedCondition: "The peer reported an error that the standard does not name."
        case .unexpectedRequest: "The request was not expected at this time."
        }
    }
}
