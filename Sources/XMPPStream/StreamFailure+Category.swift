import XMLStreaming
import XMPPStanzas

extension StreamFailure {
    /// The kind of remedy for the failure.
    public var category: Category {
        switch code {
        case .serverNotFound, .serverUnreachable, .connectionLost, .loginTimedOut, .resumptionTimedOut,
            .serverUnresponsive, .closedDuringLogin, .authenticationUnavailable:
            .connection
        case .encryptionRefused, .encryptionFailed, .certificateRejected, .injectedBeforeEncryption,
            .serverNotAuthentic, .accountMismatch:
            .encryption
        case .credentialsRejected, .accountDisabled, .credentialsExpired, .authenticationFailed, .furtherStepDemanded:
            .authentication
        case .authenticationNotOffered, .noAcceptableMechanism, .bindingRefused, .sessionRefused:
            .policy
        case .settingsUnusable:
            .settings
        case .resourceConflict:
            .conflict
        case .notXMPP, .serverMismatch, .unsupportedVersion, .malformedXML, .unexpectedElement, .handledCountTooHigh,
            .authenticationMalformed:
            .protocolViolation
        case .streamError, .componentRefused:
            streamError.map { Self.category(of: $0.condition) } ?? .protocolViolation
        }
    }

    /// Whether the same attempt may succeed later without any change.
    public var isTemporary: Bool {
        switch category {
        case .connection: code != .serverNotFound
        case .authentication, .encryption, .policy, .settings, .conflict, .protocolViolation: false
        }
    }

    /// Whether the session may still be resumable: it was not replaced, its counters can be trusted, and resuming would
    /// not lead directly to the same failure.
    var leavesSessionResumable: Bool {
        switch code {
        case .handledCountTooHigh, .malformedXML, .resumptionTimedOut: false
        case .streamError: streamError?.condition != .conflict
        default: true
        }
    }

    private static func category(of condition: StreamError.Condition) -> Category {
        switch condition {
        case .conflict: .conflict
        case .notAuthorized: .authentication
        case .policyViolation, .hostUnknown, .hostGone, .unsupportedFeature: .policy
        case .connectionTimeout, .internalServerError, .remoteConnectionFailed, .reset, .resourceConstraint,
            .seeOtherHost, .systemShutdown, .undefinedCondition:
            .connection
        case .badFormat, .badNamespacePrefix, .improperAddressing, .invalidFrom, .invalidNamespace, .invalidXML,
            .notWellFormed, .restrictedXML, .unsupportedEncoding, .unsupportedStanzaType, .unsupportedVersion:
            .protocolViolation
        }
    }
}

extension StreamFailure {
    /// The kind and position of a failure: a new connection cannot be expected to avoid a failure with the same cause.
    ///
    /// It contains neither texts of the server nor times.
    struct Cause: Hashable, Sendable {
        let code: Code
        /// The error and its offset in the stream since its last restart, which is the login (RFC 6120 §6.4.6).
        let xmlError: XMLError?
        let condition: StreamError.Condition?
        /// The name of an unexpected element.
        let element: String?
    }

    var cause: Cause {
        Cause(
            code: code, xmlError: xmlError, condition: streamError?.condition,
            element: code == .unexpectedElement ? text : nil)
    }

    /// Whether the server ended the stream because of a received stanza (RFC 6120 §4.9.3): a stanza of ours may be the
    /// reason, and sending it again may end the next stream.
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
