import XMLStreaming
import XMPPStanzas

extension StreamFailure {
    /// What failed, and where: two failures with the same cause differ in nothing that a new connection could change.
    ///
    /// The server's own words are not part of it, nor is a time.
    struct Cause: Hashable, Sendable {
        let code: Code
        /// The error and its offset in the stream since its last restart, which is the login (RFC 6120 §6.4.6).
        let xmlError: XMLError?
        let condition: StreamError.Condition?
        /// The name of an element that has no place where it came.
        let element: String?
    }

    var cause: Cause {
        Cause(
            code: code, xmlError: xmlError, condition: streamError?.condition,
            element: code == .unexpectedElement ? text : nil)
    }

    /// Whether the server ended the stream because of something that it was sent (RFC 6120 §4.9.3): a stanza of ours may
    /// be the reason, and sending it again may end the next stream.
    package var objectsToOurStanza: Bool {
        switch streamError?.condition {
        case .policyViolation, .badFormat, .badNamespacePrefix, .improperAddressing, .invalidFrom, .invalidNamespace,
            .invalidXML, .notWellFormed, .restrictedXML, .unsupportedEncoding, .unsupportedStanzaType:
            true
        case .conflict, .connectionTimeout, .hostGone, .hostUnknown, .internalServerError, .notAuthorized,
            .remoteConnectionFailed, .reset, .resourceConstraint, .seeOtherHost, .systemShutdown,
            .undefinedCondition, .unsupportedFeature, .unsupportedVersion, nil:
            false
        }
    }
}
