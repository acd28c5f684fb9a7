/// The server's side of one exchange (RFC 4422 §4), as the small server end of the stream uses it in tests.
public protocol SASLServerMechanism: Sendable {
    /// The name that the server offers.
    var name: SASLMechanismName { get }

    /// Takes the client's next message: the initial response (`nil` where it sent none), then each response.
    mutating func messageReceived(_ message: [UInt8]?) -> SASLServerStep
}

/// What a server does after a message of the client.
public enum SASLServerStep: Sendable, Equatable {
    /// Send a challenge and wait for the response.
    case challenge([UInt8])
    /// The client is who `identity` says; `additionalData` goes with the success.
    case success(SASLIdentity, additionalData: [UInt8]?)
    /// Refuse. RFC 6120 has no place for SCRAM's own reason in the failure, so it is for the server's log.
    case failure(SASLFailureCondition, SCRAMServerError? = nil)
}

/// Who a client turned out to be.
public struct SASLIdentity: Sendable, Hashable {
    /// The authenticated user name; empty for ANONYMOUS.
    public let username: String
    /// The identity the client asked to act as, which the server has still to permit.
    public let authorizationID: String?

    public init(username: String, authorizationID: String? = nil) {
        self.username = username
        self.authorizationID = authorizationID
    }
}
