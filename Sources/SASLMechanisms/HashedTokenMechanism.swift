/// The client side of HT-* (draft-schmaus-kitten-sasl-ht): one message proves possession of a token that the server
/// issued at an earlier login, without revealing it.
///
/// The server's success proves that it knows the token too. With channel binding, both proofs are valid only on this
/// TLS connection.
///
///     C: authcid NUL HMAC(token, "Initiator" cb-data)
///     S: HMAC(token, "Responder" cb-data)
public struct HashedTokenClient: SASLClientMechanism {
    private enum State: Sendable {
        case initial
        /// The message was sent; the server must prove itself with these bytes.
        case awaitingProof([UInt8])
        case finished
    }

    public let name: SASLMechanismName
    private let username: String
    private let token: String
    private let digest: SASLDigest
    private let bindingData: [UInt8]
    private var state = State.initial

    /// - Parameters:
    ///   - binding: the channel binding; `nil` for the mechanism whose name ends in `NONE`.
    ///   - username: the prepared user name.
    public init(username: String, token: String, digest: SASLDigest, binding: ChannelBinding?) {
        name = .hashedToken(digest.hash, binding: binding?.kind)
        self.username = username
        self.token = token
        self.digest = digest
        bindingData = binding?.data ?? []
    }

    public mutating func start() throws(SASLError) -> [UInt8]? {
        guard case .initial = state else { preconditionFailure("An exchange starts only once.") }
        state = .finished
        let identity = try SASLText.bytes(of: username, naming: "user name")
        let key = try SASLText.bytes(of: token, naming: "token")
        state = .awaitingProof(digest.hmac(key, HashedToken.responder + bindingData))
        return identity + [0] + digest.hmac(key, HashedToken.initiator + bindingData)
    }

    /// This mechanism has no challenge.
    public mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        state = .finished
        throw SASLError(.unexpectedMessage)
    }

    public mutating func succeed(with additionalData: [UInt8]?) throws(SASLError) {
        let previous = state
        state = .finished
        guard case .awaitingProof(let expected) = previous else { throw SASLError(.unexpectedMessage) }
        guard let additionalData, !additionalData.isEmpty else { throw SASLError(.serverSignatureMissing) }
        guard SASLText.areEqualInConstantTime(additionalData, expected) else {
            throw SASLError(.serverSignatureMismatch)
        }
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

private enum HashedToken {
    static let initiator = Array("Initiator".utf8)
    static let responder = Array("Responder".utf8)
}
