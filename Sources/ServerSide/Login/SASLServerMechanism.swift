public import SASLMechanisms

/// The server side of one exchange (RFC 4422 §4), for the server side of streams in tests.
public protocol SASLServerMechanism: Sendable {
    /// The name that the server offers.
    var name: SASLMechanismName { get }

    /// Handles the client's next message: the initial response (`nil` if it sent none), then each response.
    mutating func messageReceived(_ message: [UInt8]?) -> SASLServerStep
}

/// The action of a server after a message from the client.
public enum SASLServerStep: Sendable, Equatable {
    /// Send a challenge and wait for the response.
    case challenge([UInt8])
    /// The client is authenticated as `identity`; `additionalData` goes with the success.
    case success(SASLIdentity, additionalData: [UInt8]?)
    /// Refuse. RFC 6120 has no element for SCRAM's reason, so it is only for the server's log.
    case failure(SASLFailureCondition, SCRAMServerError? = nil)
}

/// The identity of an authenticated client.
public struct SASLIdentity: Sendable, Hashable {
    /// The authenticated user name; empty for ANONYMOUS.
    public let username: String
    /// The identity that the client asks to act as, which the server has yet to authorize.
    public let authorizationID: String?

    public init(username: String, authorizationID: String? = nil) {
        self.username = username
        self.authorizationID = authorizationID
    }
}
