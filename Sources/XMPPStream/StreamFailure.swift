public import SASLMechanisms
public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// The failure of a stream: a code for programs, a message for people, and the text of the server if it sent one.
public struct StreamFailure: Error, Equatable, Sendable {
    /// The kind of failure.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        // The connection
        /// The server's name could not be resolved.
        case serverNotFound
        /// The server could not be reached.
        case serverUnreachable
        /// The connection ended without `</stream:stream>`.
        case connectionLost
        /// The login timed out.
        case loginTimedOut
        /// The server did not answer a resumption in time; a new connection without it may succeed.
        case resumptionTimedOut
        /// A setting, such as a file of certificate authorities, cannot be used; ``StreamFailure/text`` says which
        /// and why.
        case settingsUnusable
        /// The server did not respond in time when the connection was checked.
        case serverUnresponsive
        /// The server closed the stream before the login was finished.
        case closedDuringLogin

        // Encryption
        /// The server refused STARTTLS.
        case encryptionRefused
        /// The TLS handshake failed.
        case encryptionFailed
        /// The server's certificate was not accepted.
        case certificateRejected
        /// Unencrypted bytes followed `<proceed/>`: a man in the middle tried to inject commands into the encrypted
        /// stream.
        case injectedBeforeEncryption

        // Authentication
        /// The user name or the password is wrong.
        case credentialsRejected
        /// The account is disabled.
        case accountDisabled
        /// The password has expired.
        case credentialsExpired
        /// The server cannot check credentials at the moment.
        case authenticationUnavailable
        /// The server rejected the login for another reason.
        case authenticationFailed
        /// The server did not offer authentication.
        case authenticationNotOffered
        /// The server offered nothing that policy, credentials and connection allow.
        case noAcceptableMechanism
        /// The server requires a further unsupported step, such as a code from a second device (XEP-0388 §2.6.3).
        case furtherStepDemanded
        /// The server could not prove that it knows the account.
        case serverNotAuthentic
        /// The server violated the rules of the SASL mechanism.
        case authenticationMalformed

        /// The server refused the component: ``StreamFailure/streamError`` is `not-authorized` for a wrong secret,
        /// `conflict` for a second connection, or `host-unknown`.
        case componentRefused

        // Binding
        /// The resource is in use.
        case resourceConflict
        /// The server did not bind a resource.
        case bindingRefused
        /// The server bound the session to an address of another account.
        case accountMismatch
        /// The server did not start a session.
        case sessionRefused

        // The stream
        /// The server ended the stream with an error.
        case streamError
        /// The peer does not use XMPP.
        case notXMPP
        /// The server identifies itself as another one.
        case serverMismatch
        /// The peer uses XMPP of a version before 1.0.
        case unsupportedVersion
        /// The peer sent XML that is not allowed or exceeds a limit.
        case malformedXML
        /// The peer sent an element that is not allowed at this point.
        case unexpectedElement
        /// The peer acknowledged stanzas that were never sent.
        case handledCountTooHigh
    }

    /// The kind of remedy for a failure.
    public enum Category: String, Hashable, Sendable, CaseIterable {
        /// Wrong or missing credentials: ask the user.
        case authentication
        /// The network or the server is unavailable: try again later.
        case connection
        /// The connection could not be encrypted: do not continue.
        case encryption
        /// The offer of the server violates the settings, or the reverse.
        case policy
        /// Our own settings cannot be used: change them.
        case settings
        /// Another session uses the resource.
        case conflict
        /// One of the two sides violated the protocol.
        case protocolViolation
    }

    public let code: Code

    /// The server's SASL condition.
    public let saslCondition: SASLFailureCondition?

    /// The error of our side of the SASL exchange.
    public let saslError: SASLError?

    /// The stream error that the server sent.
    public let streamError: StreamError?

    /// The stanza error with which binding or session was refused.
    public let stanzaError: StanzaError?

    /// The error of the parser.
    public let xmlError: XMLError?

    /// The stanza inside which the XML is malformed, if its start tag was read: it shows what the server forwarded, and
    /// from whom.
    ///
    /// The sender is trusted only if the server was authenticated.
    public let brokenStanza: UnreadableElement?

    /// The text of the server, or a detail in English for developers.
    public let text: String?

    /// Which file of our settings cannot be used.
    public let file: TransportClosure.File?

    package init(
        _ code: Code, saslCondition: SASLFailureCondition? = nil, saslError: SASLError? = nil,
        streamError: StreamError? = nil, stanzaError: StanzaError? = nil, xmlError: XMLError? = nil,
        brokenStanza: UnreadableElement? = nil, text: String? = nil, file: TransportClosure.File? = nil
    ) {
        self.code = code
        self.saslCondition = saslCondition
        self.saslError = saslError
        self.streamError = streamError
        self.stanzaError = stanzaError
        self.xmlError = xmlError
        self.brokenStanza = brokenStanza
        self.text = text
        self.file = file
    }
    /// The sender of the ``brokenStanza`` according to the server; `nil` if it is the server itself or unknown.
    public var sender: JID? { brokenStanza?.from.flatMap { try? JID($0) } }
}

/// Why a transport ended, as reported by its owner.
public struct TransportClosure: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The peer ended the connection.
        case endOfStream
        /// The name of the server could not be resolved.
        case unresolved
        /// No address accepted a connection.
        case unreachable
        /// The connection broke.
        case broken
        /// The TLS handshake failed.
        case tlsFailed
        /// The server's certificate was not accepted.
        case certificateRejected
        /// A setting is unusable, such as a file that cannot be read: nothing was tried.
        case misconfigured
    }

    /// A file of our settings that cannot be used.
    public struct File: Hashable, Sendable {
        /// The transport's code for the reason.
        public let problem: String
        public let path: String

        public init(problem: String, path: String) {
            self.problem = problem
            self.path = path
        }
    }

    public let kind: Kind

    /// A detail for developers, such as the name that did not match.
    public let detail: String?

    /// The reason of ``Kind/misconfigured`` where it is a file.
    public let file: File?

    public init(_ kind: Kind, detail: String? = nil, file: File? = nil) {
        self.kind = kind
        self.detail = detail
        self.file = file
    }

    public static let endOfStream = TransportClosure(.endOfStream)
}
