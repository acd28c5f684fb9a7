public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas
public import XMPPStream

/// The failure of an operation of a client or a session: a code for programs, a message for people, and the cause.
///
/// No message contains a password, the text of a chat message or the address of another person; ``description`` adds the
/// request that failed and its receiver. Two errors are equal if their codes and messages are equal.
///
/// Methods of a session throw this type. In a closure, such as that of ``Client/run(from:_:)``, Swift takes what a `do` block
/// throws for `any Error`; either write `catch let error as ClientError`, or `do throws(ClientError) { … } catch { … }`, in which
/// `error` has this type.
public struct ClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        public init(_ description: String) {
            self.description = description
        }
    }

    /// The exit status of a command-line program.
    public enum ExitClass: Int32, Sendable, Hashable {
        case failed = 1
        case usage = 2
        case authentication = 3
        case connection = 4
    }

    /// Every function that throws this type, and every state that may contain it, has room for it, but it is rarely there.
    private final class Content: Sendable {
        let code: Code
        let message: String
        let cause: (any Error)?
        let request: FailedRequest?

        init(_ code: Code, _ message: String, _ cause: (any Error)?, _ request: FailedRequest?) {
            (self.code, self.message, self.cause, self.request) = (code, message, cause, request)
        }
    }

    private let content: Content

    public var code: Code { content.code }
    /// What happened and, if possible, what to do about it.
    public var message: String { content.message }
    /// The underlying error.
    public var cause: (any Error)? { content.cause }
    /// The request that failed; `nil` unless ``Session/request(_:to:timeout:)`` or a method that uses it failed.
    public var request: FailedRequest? { content.request }

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.init(code, message, cause, nil)
    }

    private init(_ code: Code, _ message: String, _ cause: (any Error)?, _ request: FailedRequest?) {
        content = Content(code, message, cause, request)
    }

    /// The message, and after a failed request its kind, name and receiver.
    public var description: String { request.map { "\(message) (\($0))" } ?? message }

    /// The same error of a request.
    func of(_ iq: IQ) -> ClientError {
        ClientError(code, message, cause, request ?? FailedRequest(iq))
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.message == right.message
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }

    /// The error in the response of the peer, if there was one.
    public var stanzaError: StanzaError? { cause as? StanzaError }
    /// The failure of the stream, if there was one.
    public var streamFailure: StreamFailure? { cause as? StreamFailure }
}

/// A request that failed: `get {urn:xmpp:ping}ping to example.com`.
public struct FailedRequest: Sendable, Hashable, CustomStringConvertible {
    public let type: IQ.Kind
    /// The name of the payload.
    public let name: XMLName?
    /// `nil` for a request to our account.
    public let receiver: JID?

    init(_ iq: IQ) {
        (type, name, receiver) = (iq.type, iq.payload?.name, iq.to)
    }

    public var description: String {
        let what = name.map { "\(type.rawValue) \($0)" } ?? type.rawValue
        return receiver.map { "\(what) to \($0)" } ?? what
    }
}

extension ClientError.Code {
    /// A setting is missing or invalid.
    public static let invalidConfiguration = Self("invalid configuration")
    /// There is no connection, and none that will be resumed.
    public static let notConnected = Self("not connected")
    /// The server was not found or is unreachable, or the connection broke.
    public static let connectionFailed = Self("connection failed")
    /// The connection could not be encrypted.
    public static let encryptionFailed = Self("encryption failed")
    /// The server rejected the login.
    public static let authenticationFailed = Self("authentication failed")
    /// The offer of the server violates the settings.
    public static let policyViolated = Self("policy violated")
    /// Another session replaced this one.
    public static let conflict = Self("conflict")
    /// One of the two sides violated the protocol.
    public static let protocolViolated = Self("protocol violated")
    /// An operation timed out.
    public static let timedOut = Self("timed out")
    /// The task was cancelled.
    public static let cancelled = Self("cancelled")
    /// The session is over.
    public static let sessionEnded = Self("session ended")
    /// The peer answered a request with an error.
    public static let refused = Self("refused")
    /// The response of the peer could not be parsed.
    public static let unreadableAnswer = Self("unreadable answer")
    /// An interceptor dropped the stanza.
    public static let dropped = Self("dropped")
    /// The stanza was written, but it is not known whether it arrived.
    public static let unacknowledged = Self("unacknowledged")
    /// Too many stanzas are waiting to be sent.
    public static let queueFull = Self("queue full")
    /// The stanza is larger than the server accepts.
    public static let stanzaTooLarge = Self("stanza too large")
    /// The server ended the connection because of the stanza, more than once.
    public static let stanzaRefused = Self("stanza refused")
    /// A state that must not be lost could not be stored.
    public static let storeFailed = Self("store failed")
    /// A handler for the same requests exists already.
    public static let handlerExists = Self("handler exists")
    /// The session has an extension of the same type already.
    public static let extensionExists = Self("extension exists")
    /// An interceptor of incoming stanzas waited for a response, which could only arrive after it had returned.
    public static let wouldDeadlock = Self("would deadlock")
}

extension ClientError {
    /// The exit status to use.
    public var exitClass: ExitClass {
        switch code {
        case .invalidConfiguration: .usage
        case .authenticationFailed: .authentication
        case .notConnected, .connectionFailed, .encryptionFailed, .conflict, .protocolViolated, .policyViolated:
            .connection
        case .timedOut where streamFailure != nil: .connection
        default: .failed
        }
    }

    static let cancelled = ClientError(.cancelled, "The operation was cancelled.")
    static let sessionEnded = ClientError(.sessionEnded, "The session is over.")
    package static let notConnected = ClientError(
        .notConnected, "There is no connection to the server. Connect and try again.")

    static let backlogFull = ClientError(
        .queueFull, "Too many stanzas wait for the connection to come back.")

    static let outboxFull = ClientError(.queueFull, "The server accepts less than is sent.")

    static let notManaged = ClientError(
        .unacknowledged, "The server does not confirm on this connection what it receives.")

    static func tooLarge(byteCount: Int, limit: Int) -> ClientError {
        ClientError(
            .stanzaTooLarge,
            "This is too long to be sent: it takes \(byteCount) bytes, and the server accepts \(limit). Send it in parts or as a file."
        )
    }

    static func unacknowledged(because error: ClientError) -> ClientError {
        ClientError(
            .unacknowledged,
            "The connection was lost before the server confirmed this; it may or may not have arrived.",
            cause: error)
    }

    init(_ failure: StreamFailure) {
        let code: Code =
            switch failure.category {
            case .authentication: .authenticationFailed
            case .connection: failure.code == .loginTimedOut ? .timedOut : .connectionFailed
            case .encryption: .encryptionFailed
            case .policy: .policyViolated
            case .settings: .invalidConfiguration
            case .conflict: .conflict
            case .protocolViolation: .protocolViolated
            }
        self.init(code, failure.description, cause: failure)
    }

    init(refused error: StanzaError) {
        self.init(.refused, error.description, cause: error)
    }
}
