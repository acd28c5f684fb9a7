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

/// The text that is signed with the token before the channel binding data.
package enum HashedToken {
    package static let initiator = Array("Initiator".utf8)
    package static let responder = Array("Responder".utf8)
}
