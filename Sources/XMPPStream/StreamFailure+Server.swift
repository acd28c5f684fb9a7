import SASLMechanisms
import XMLStreaming
import XMPPStanzas

extension StreamFailure {
    /// `<failure/>` of SASL (RFC 6120 §6.4.5, §6.5, XEP-0388 §2.6.2) with the server's condition and text.
    ///
    ///     S: <failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/><text xml:lang='en'>…</text></failure>
    init(saslFailure element: XMLElement) {
        var condition: SASLFailureCondition?
        var text: String?
        for child in element.children {
            if child.isNamed(StreamName.saslText) || child.isNamed(StreamName.failureText2) {
                text = text ?? child.text
            } else if child.name.namespace == StreamNamespace.sasl {
                condition = condition ?? SASLFailureCondition(rawValue: child.name.local)
            }
        }
        let code: Code =
            switch condition {
            case .notAuthorized: .credentialsRejected
            case .accountDisabled: .accountDisabled
            case .credentialsExpired: .credentialsExpired
            case .temporaryFailure: .authenticationUnavailable
            case .aborted, .encryptionRequired, .incorrectEncoding, .invalidAuthorizationID, .invalidMechanism,
                .malformedRequest, .mechanismTooWeak, nil:
                .authenticationFailed
            }
        self.init(code, saslCondition: condition, text: text)
    }

    /// An error of our side of the SASL exchange.
    init(_ error: SASLError) {
        let code: Code =
            switch error.code {
            case .noUsableMechanism: .noAcceptableMechanism
            case .serverSignatureMissing, .serverSignatureMismatch, .nonceNotExtended, .offerTampered:
                .serverNotAuthentic
            case .passwordNeeded, .invalidCredential: .credentialsRejected
            case .serverReported(let reported):
                if reported.meansTampering {
                    .serverNotAuthentic
                } else if reported == .invalidProof || reported == .unknownUser {
                    .credentialsRejected
                } else {
                    .authenticationFailed
                }
            case .malformedMessage, .iterationCountOutOfRange, .emptySalt, .mandatoryExtension, .unexpectedMessage,
                .digestRefused:
                .authenticationMalformed
            }
        self.init(code, saslError: error)
    }

    /// `<stream:error/>` (RFC 6120 §4.9).
    init(_ error: StreamError) {
        self.init(.streamError, streamError: error, text: error.text.best(for: []))
    }

    /// `<stream:error/>` instead of `<handshake/>` (XEP-0114 §3).
    init(refusingComponent error: StreamError) {
        switch error.condition {
        case .notAuthorized, .conflict, .hostUnknown:
            self.init(.componentRefused, streamError: error, text: error.text.best(for: []))
        default: self.init(error)
        }
    }

    init(_ error: XMLError, in brokenStanza: UnreadableElement? = nil) {
        self.init(.malformedXML, xmlError: error, brokenStanza: brokenStanza)
    }

    /// An unexpected end of the transport.
    init(_ closure: TransportClosure) {
        let code: Code =
            switch closure.kind {
            case .endOfStream, .broken: .connectionLost
            case .unresolved: .serverNotFound
            case .unreachable: .serverUnreachable
            case .tlsFailed: .encryptionFailed
            case .certificateRejected: .certificateRejected
            case .misconfigured: .settingsUnusable
            }
        self.init(code, text: closure.detail, file: closure.file)
    }
}
