public import XMPPStanzas
public import XMPPStream

/// Why something that a program asked of a client or a session failed: a code for programs, a message for people, and
/// the cause.
///
/// No message contains a password, a message or the address of another person. Two errors are equal if they say the
/// same.
public struct ClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        public init(_ description: String) {
            self.description = description
        }
    }

    /// What a command-line program reports with its exit status.
    public enum ExitClass: Int32, Sendable, Hashable {
        case failed = 1
        case usage = 2
        case authentication = 3
        case connection = 4
    }

    public let code: Code
    /// What happened and, where possible, what to do about it.
    public let message: String
    /// The underlying error.
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }

    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.message == right.message
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }

    /// The error with which the peer answered, if it did.
    public var stanzaError: StanzaError? { cause as? StanzaError }
    /// How the stream failed, if it did.
    public var streamFailure: StreamFailure? { cause as? StreamFailure }
}

extension ClientError.Code {
    /// A setting is missing or makes no sense.
    public static let invalidConfiguration = Self("invalid configuration")
    /// There is no connection, and none that will be resumed.
    public static let notConnected = Self("not connected")
    /// The server was not found or not reached, or the connection broke.
    public static let connectionFailed = Self("connection failed")
    /// The connection could not be made safe.
    public static let encryptionFailed = Self("encryption failed")
    /// The server did not accept the login.
    public static let authenticationFailed = Self("authentication failed")
    /// The offer of the server violates the settings.
    public static let policyViolated = Self("policy violated")
    /// Another session replaced this one.
    public static let conflict = Self("conflict")
    /// One of the two ends broke the protocol.
    public static let protocolViolated = Self("protocol violated")
    /// Something did not happen in time.
    public static let timedOut = Self("timed out")
    /// The task was cancelled.
    public static let cancelled = Self("cancelled")
    /// The session is over.
    public static let sessionEnded = Self("session ended")
    /// The peer answered a request with an error.
    public static let refused = Self("refused")
    /// The peer's answer could not be read.
    public static let unreadableAnswer = Self("unreadable answer")
    /// An interceptor dropped the stanza.
    public static let dropped = Self("dropped")
    /// The stanza was written, but it is not known whether it arrived.
    public static let unacknowledged = Self("unacknowledged")
    /// Too much waits to be sent.
    public static let queueFull = Self("queue full")
    /// The stanza is larger than the server accepts.
    public static let stanzaTooLarge = Self("stanza too large")
    /// The server ended the connection because of the stanza, more than once.
    public static let stanzaRefused = Self("stanza refused")
    /// A state that must not be lost could not be stored.
    public static let storeFailed = Self("store failed")
    /// A handler for the same requests exists already.
    public static let handlerExists = Self("handler exists")
    /// An interceptor of incoming stanzas waited for an answer, which could only come after it.
    public static let wouldDeadlock = Self("would deadlock")
}

extension ClientError {
    /// What to report as exit status.
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
