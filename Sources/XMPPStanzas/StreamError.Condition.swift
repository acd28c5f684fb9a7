extension StreamError {
    /// The conditions that RFC 6120 §4.9.3 defines; the raw value is the name of the element.
    public enum Condition: String, Sendable, Hashable, CaseIterable {
        case badFormat = "bad-format"
        case badNamespacePrefix = "bad-namespace-prefix"
        case conflict
        case connectionTimeout = "connection-timeout"
        case hostGone = "host-gone"
        case hostUnknown = "host-unknown"
        case improperAddressing = "improper-addressing"
        case internalServerError = "internal-server-error"
        case invalidFrom = "invalid-from"
        case invalidNamespace = "invalid-namespace"
        case invalidXML = "invalid-xml"
        case notAuthorized = "not-authorized"
        case notWellFormed = "not-well-formed"
        case policyViolation = "policy-violation"
        case remoteConnectionFailed = "remote-connection-failed"
        case reset
        case resourceConstraint = "resource-constraint"
        case restrictedXML = "restricted-xml"
        case seeOtherHost = "see-other-host"
        case systemShutdown = "system-shutdown"
        case undefinedCondition = "undefined-condition"
        case unsupportedEncoding = "unsupported-encoding"
        case unsupportedFeature = "unsupported-feature"
        case unsupportedStanzaType = "unsupported-stanza-type"
        case unsupportedVersion = "unsupported-version"
    }
}

extension StreamError.Condition {
    /// What the condition means, as a sentence for a person.
    public var sentence: String {
        switch self {
        case .badFormat: "The peer received XML that it cannot process."
        case .badNamespacePrefix: "The peer received an element with a wrong or missing namespace prefix."
        case .conflict: "Another connection took the place of this one."
        case .connectionTimeout: "The peer heard nothing for too long."
        case .hostGone: "The server does not serve this domain any more."
        case .hostUnknown: "The server does not serve this domain."
        case .improperAddressing: "The peer received a stanza without a usable address."
        case .internalServerError: "The server failed because of a fault of its own."
        case .invalidFrom: "The peer received a sender address that does not belong to this connection."
        case .invalidNamespace: "The stream was opened in a namespace that the peer does not accept."
        case .invalidXML: "The peer received XML that its schema does not allow."
        case .notAuthorized: "Something was sent that needs a login first."
        case .notWellFormed: "The peer received XML that is not well-formed."
        case .policyViolation: "The server closed the connection because of a rule of its own."
        case .remoteConnectionFailed: "The server could not reach another server that it depends on."
        case .reset: "The server asks to connect anew."
        case .resourceConstraint: "The server is too busy to keep this connection."
        case .restrictedXML: "The peer received a kind of XML that XMPP forbids."
        case .seeOtherHost: "The server asks to connect to another host."
        case .systemShutdown: "The server is shutting down."
        case .undefinedCondition: "The server closed the connection for a reason that the standard does not name."
        case .unsupportedEncoding: "The peer received text that is not encoded in UTF-8."
        case .unsupportedFeature: "The server requires a feature that this program does not have."
        case .unsupportedStanzaType: "The peer received a kind of stanza that it does not know."
        case .unsupportedVersion: "The server speaks another version of XMPP."
        }
    }
}
