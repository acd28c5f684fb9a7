public import SASLMechanisms
public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// Why a stream failed: a code for programs, a sentence for people and the server's own words where it gave some.
public struct StreamFailure: Error, Equatable, Sendable {
    /// What failed.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        // The connection
        /// The server's name could not be resolved.
        case serverNotFound
        /// The server could not be reached.
        case serverUnreachable
        /// The connection ended without `</stream:stream>`.
        case connectionLost
        /// The login was not finished before its deadline.
        case loginTimedOut
        /// The server did not answer a resumption in time; a new connection without it may succeed.
        case resumptionTimedOut
        /// A setting, such as a file of certificate authorities, cannot be used; ``StreamFailure/text`` says which
        /// and why.
        case settingsUnusable
        /// The server did not answer in time whether the connection lives.
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
        /// Bytes came in clear after `<proceed/>`: a man in the middle tried to smuggle commands into the encrypted
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
        /// The server refused for another reason.
        case authenticationFailed
        /// The server did not offer authentication.
        case authenticationNotOffered
        /// The server offered nothing that policy, credentials and connection allow.
        case noAcceptableMechanism
        /// The server wants a further step, such as a code from a second device, that is not known here (XEP-0388
        /// §2.6.3).
        case furtherStepDemanded
        /// The server could not prove that it knows the account.
        case serverNotAuthentic
        /// The server broke the rules of the SASL mechanism.
        case authenticationMalformed

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
        /// The peer does not speak XMPP.
        case notXMPP
        /// The server says that it is another one.
        case serverMismatch
        /// The peer speaks XMPP of a version before 1.0.
        case unsupportedVersion
        /// The peer sent XML that is not allowed or exceeds a limit.
        case malformedXML
        /// The peer sent an element that has no place at this point.
        case unexpectedElement
        /// The peer acknowledged stanzas that were never sent.
        case handledCountTooHigh
    }

    /// Which kind of remedy a failure calls for.
    public enum Category: String, Hashable, Sendable, CaseIterable {
        /// Wrong or missing credentials: ask the person.
        case authentication
        /// The network or the server is away: try again later.
        case connection
        /// The connection could not be made safe: do not go on.
        case encryption
        /// What the server offers is not what the settings allow, or the other way round.
        case policy
        /// Our own settings cannot be used: change them.
        case settings
        /// Another session has the place.
        case conflict
        /// One of the two ends breaks the protocol.
        case protocolViolation
    }

    public let code: Code

    /// The server's SASL condition.
    public let saslCondition: SASLFailureCondition?

    /// What our side of the SASL exchange objected to.
    public let saslError: SASLError?

    /// The stream error that the server sent.
    public let streamError: StreamError?

    /// The stanza error with which binding or session was refused.
    public let stanzaError: StanzaError?

    /// What the parser objected to.
    public let xmlError: XMLError?

    /// The stanza inside of which the XML is broken, if its start tag was read: what the server passed on, and from
    /// whom.
    ///
    /// Only an authenticated server is believed to have named the sender.
    public let brokenStanza: UnreadableElement?

    /// The server's own words, or a detail in English for developers.
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
    /// Who sent the ``brokenStanza``, as the server says; `nil` where it is the server itself, or not known.
    public var sender: JID? { brokenStanza?.from.flatMap { try? JID($0) } }
}

/// Why a transport ended, in the words of the one who drives it.
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
        /// A setting of ours cannot be used, such as a file that cannot be read: nothing was tried.
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

    /// A sentence of detail for developers, such as the name that did not match.
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
