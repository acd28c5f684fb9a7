public import SASLMechanisms

/// The server side of PLAIN (RFC 4616).
public struct PlainServer: SASLServerMechanism {
    public var name: SASLMechanismName { .plain }
    private let isEncrypted: Bool
    private let verify: @Sendable (_ username: String, _ password: String) -> Bool

    /// `isEncrypted` says whether TLS is active; without it every message is refused unread.
    public init(
        isEncrypted: Bool, verify: @escaping @Sendable (_ username: String, _ password: String) -> Bool
    ) {
        self.isEncrypted = isEncrypted
        self.verify = verify
    }

    public mutating func messageReceived(_ message: [UInt8]?) -> SASLServerStep {
        guard isEncrypted else { return .failure(.encryptionRequired) }
        guard let message else { return .challenge([]) }
        let parts = message.split(separator: 0, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, !parts[2].isEmpty,
            let authorizationID = String(validating: parts[0], as: UTF8.self),
            let username = String(validating: parts[1], as: UTF8.self),
            let password = String(validating: parts[2], as: UTF8.self)
        else { return .failure(.malformedRequest) }
        guard verify(username, password) else { return .failure(.notAuthorized) }
        return .success(
            SASLIdentity(username: username, authorizationID: authorizationID.isEmpty ? nil : authorizationID),
            additionalData: nil)
    }
}

/// The server side of ANONYMOUS; the server creates an address after the success.
public struct AnonymousServer: SASLServerMechanism {
    public var name: SASLMechanismName { .anonymous }

    public init() {}

    /// The client's trace information, if any, is ignored.
    public mutating func messageReceived(_ message: [UInt8]?) -> SASLServerStep {
        .success(SASLIdentity(username: ""), additionalData: nil)
    }
}

/// The server side of EXTERNAL.
public struct ExternalServer: SASLServerMechanism {
    public var name: SASLMechanismName { .external }
    private let identities: [String]

    /// `identities` are the identities in the client's verified certificate, the preferred one first.
    public init(identities: [String]) { self.identities = identities }

    public mutating func messageReceived(_ message: [UInt8]?) -> SASLServerStep {
        guard let message else { return .challenge([]) }
        guard let first = identities.first else { return .failure(.notAuthorized) }
        guard let asked = String(validating: message, as: UTF8.self) else { return .failure(.malformedRequest) }
        if asked.isEmpty { return .success(SASLIdentity(username: first), additionalData: nil) }
        guard identities.contains(asked) else { return .failure(.invalidAuthorizationID) }
        return .success(SASLIdentity(username: asked, authorizationID: asked), additionalData: nil)
    }
}

/// The server side of HT-* (draft-schmaus-kitten-sasl-ht).
public struct HashedTokenServer: SASLServerMechanism {
    public let name: SASLMechanismName
    private let digest: SASLDigest
    private let bindingData: [UInt8]
    private let tokens: @Sendable (_ username: String) -> [String]

    /// `tokens` returns the tokens of a user that were issued for this mechanism.
    public init(
        digest: SASLDigest, binding: ChannelBinding?, tokens: @escaping @Sendable (_ username: String) -> [String]
    ) {
        name = .hashedToken(digest.hash, binding: binding?.kind)
        self.digest = digest
        bindingData = binding?.data ?? []
        self.tokens = tokens
    }

    public mutating func messageReceived(_ message: [UInt8]?) -> SASLServerStep {
        guard let message, let separator = message.firstIndex(of: 0),
            let username = String(validating: message[..<separator], as: UTF8.self), !username.isEmpty
        else { return .failure(.malformedRequest) }
        let proof = Array(message[(separator + 1)...])
        for token in tokens(username) {
            let key = Array(token.utf8)
            let expected = digest.hmac(key, HashedToken.initiator + bindingData)
            guard SASLText.areEqualInConstantTime(proof, expected) else { continue }
            return .success(
                SASLIdentity(username: username),
                additionalData: digest.hmac(key, HashedToken.responder + bindingData))
        }
        return .failure(.notAuthorized)
    }
}

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
