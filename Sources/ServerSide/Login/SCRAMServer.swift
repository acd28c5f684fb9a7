public import SASLMechanisms

/// The keys that a SCRAM server stores for a password (RFC 5802 §3): sufficient to verify a proof, but not to log in.
public struct SCRAMServerKeys: Sendable, Hashable {
    public let hash: SASLHash
    public let salt: [UInt8]
    public let iterations: Int
    /// `H(ClientKey)`.
    public let storedKey: [UInt8]
    /// `HMAC(SaltedPassword, "Server Key")`.
    public let serverKey: [UInt8]

    public init(hash: SASLHash, salt: [UInt8], iterations: Int, storedKey: [UInt8], serverKey: [UInt8]) {
        self.hash = hash
        self.salt = salt
        self.iterations = iterations
        self.storedKey = storedKey
        self.serverKey = serverKey
    }

    /// Derives the keys of a prepared password; `nil` if the library rejects the parameters.
    public init?(password: String, salt: [UInt8], iterations: Int, digest: SASLDigest) {
        guard let keys = SCRAMKeys(password: password, salt: salt, iterations: iterations, digest: digest) else {
            return nil
        }
        self.init(
            hash: digest.hash, salt: salt, iterations: iterations, storedKey: digest.hashValue(keys.clientKey),
            serverKey: keys.serverKey)
    }
}

/// The server side of SCRAM (RFC 5802), with and without channel binding.
///
/// It is for tests only: an unknown user is rejected at once, which a server on the network must not do, because it
/// reveals which accounts exist.
public struct SCRAMServer: SASLServerMechanism {
    public let name: SASLMechanismName
    private let configuration: Configuration
    private let keysOfUser: @Sendable (_ username: String) -> SCRAMServerKeys?
    private var state = State.initial

    /// The settings of an exchange.
    public struct Configuration: Sendable {
        /// The operations over the mechanism's hash function.
        public var digest: SASLDigest
        /// Whether this is the `-PLUS` mechanism.
        public var isChannelBound: Bool
        /// The channel bindings of the connection.
        public var channelBindings: [ChannelBinding]
        /// The server part of the nonce: printable ASCII without a comma.
        public var nonce: String
        /// The offer of the server, which it signs (XEP-0474); `nil` to sign nothing.
        public var signedOffer: SASLOffer?
        /// Whether the server offered any `-PLUS` mechanism, so that a `y` of the client reveals a forged list.
        public var offersChannelBinding: Bool
        /// Whether the signature is sent in a separate challenge and not with the success.
        public var signsInChallenge: Bool

        public init(
            digest: SASLDigest, isChannelBound: Bool = false, channelBindings: [ChannelBinding] = [], nonce: String,
            signedOffer: SASLOffer? = nil, offersChannelBinding: Bool = false, signsInChallenge: Bool = false
        ) {
            self.digest = digest
            self.isChannelBound = isChannelBound
            self.channelBindings = channelBindings
            self.nonce = nonce
            self.signedOffer = signedOffer
            self.offersChannelBinding = offersChannelBinding
            self.signsInChallenge = signsInChallenge
        }
    }

    private enum State {
        /// Nothing was received. → `awaitingProof`
        case initial
        /// The salt was sent; waiting for the proof. → `awaitingAcknowledgement`, `finished`
        case awaitingProof(First)
        /// The signature was sent in a challenge; waiting for the empty response. → `finished`
        case awaitingAcknowledgement(SASLIdentity)
        /// The exchange is over.
        case finished
    }

    private struct First {
        let identity: SASLIdentity
        let keys: SCRAMServerKeys
        let channelBindingInput: [UInt8]
        let nonce: [UInt8]
        /// `client-first-message-bare "," server-first-message`
        let messages: [UInt8]
    }

    /// The reason for a refusal, and its text in the log.
    private struct Refusal: Error {
        let condition: SASLFailureCondition
        let reason: SCRAMServerError?

        init(_ condition: SASLFailureCondition, _ reason: SCRAMServerError? = nil) {
            self.condition = condition
            self.reason = reason
        }
    }

    public init(
        configuration: Configuration, keysOfUser: @escaping @Sendable (_ username: String) -> SCRAMServerKeys?
    ) {
        precondition(
            !configuration.nonce.isEmpty && SCRAMMessage.isPrintable(configuration.nonce.utf8),
            "A nonce is printable ASCII without a comma.")
        name = .scram(configuration.digest.hash, channelBound: configuration.isChannelBound)
        self.configuration = configuration
        self.keysOfUser = keysOfUser
    }

    public mutating func messageReceived(_ message: [UInt8]?) -> SASLServerStep {
        let previous = state
        state = .finished
        do throws(Refusal) {
            switch previous {
            case .initial:
                guard let message else {
                    state = .initial
                    return .challenge([])
                }
                let (challenge, first) = try firstMessageReceived(message)
                state = .awaitingProof(first)
                return .challenge(challenge)
            case .awaitingProof(let first):
                let signature = try proofReceived(message ?? [], after: first)
                guard configuration.signsInChallenge else {
                    return .success(first.identity, additionalData: signature)
                }
                state = .awaitingAcknowledgement(first.identity)
                return .challenge(signature)
            case .awaitingAcknowledgement(let identity):
                guard message?.isEmpty ?? true else { throw Refusal(.malformedRequest) }
                return .success(identity, additionalData: nil)
            case .finished:
                throw Refusal(.malformedRequest)
            }
        } catch {
            return .failure(error.condition, error.reason)
        }
    }

    // MARK: The client's messages

    /// `client-first-message` of RFC 5802 §7: the GS2 header, the name, the nonce.
    private func firstMessageReceived(_ bytes: [UInt8]) throws(Refusal) -> ([UInt8], First) {
        let parts = bytes.split(
            separator: UInt8(ascii: ","), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Refusal(.malformedRequest, .invalidEncoding) }
        let bindingData = try dataOfChannelBinding(flag: parts[0])
        var authorizationID: String?
        if !parts[1].isEmpty {
            guard parts[1].starts(with: "a=".utf8), let name = SCRAMMessage.unescape(parts[1].dropFirst(2)) else {
                throw Refusal(.malformedRequest, .invalidEncoding)
            }
            authorizationID = name
        }
        let bare = parts[2]
        let message = try parse(bare)
        guard let escaped = message.value(at: 0, "n"), let username = SCRAMMessage.unescape(escaped) else {
            throw Refusal(.malformedRequest, .invalidUsernameEncoding)
        }
        guard let clientNonce = message.value(at: 1, "r"), SCRAMMessage.isPrintable(clientNonce) else {
            throw Refusal(.malformedRequest, .invalidEncoding)
        }
        guard let keys = keysOfUser(username), keys.hash == configuration.digest.hash else {
            throw Refusal(.notAuthorized, .unknownUser)
        }

        let nonce = Array(clientNonce) + Array(configuration.nonce.utf8)
        var challenge = Array("r=".utf8) + nonce + Array(",s=".utf8) + SASLBase64.encode(keys.salt)
        challenge += Array(",i=\(keys.iterations)".utf8)
        if let signed = configuration.signedOffer?.signedBytes(.control) {
            challenge += Array(",h=".utf8) + SASLBase64.encode(configuration.digest.hashValue(signed))
        }
        let header = bytes[..<bare.startIndex]
        let first = First(
            identity: SASLIdentity(username: username, authorizationID: authorizationID), keys: keys,
            channelBindingInput: Array(header) + bindingData, nonce: nonce,
            messages: Array(bare) + [UInt8(ascii: ",")] + challenge)
        return (challenge, first)
    }

    private func dataOfChannelBinding(flag: ArraySlice<UInt8>) throws(Refusal) -> [UInt8] {
        switch (String(decoding: flag, as: UTF8.self), configuration.isChannelBound) {
        case ("n", false):
            return []
        case ("y", false):
            guard !configuration.offersChannelBinding else {
                throw Refusal(.notAuthorized, .serverDoesSupportChannelBinding)
            }
            return []
        case (let flag, true) where flag.hasPrefix("p="):
            guard let binding = configuration.channelBindings.first(where: { "p=\($0.name)" == flag }) else {
                throw Refusal(.notAuthorized, .unsupportedChannelBindingType)
            }
            return binding.data
        case (let flag, false) where flag.hasPrefix("p="):
            throw Refusal(.malformedRequest, .channelBindingNotSupported)
        default:
            throw Refusal(.malformedRequest, .invalidEncoding)
        }
    }

    /// `client-final-message`: the GS2 header again with the data of the binding, both nonces, and the proof at the
    /// end.
    private func proofReceived(_ bytes: [UInt8], after first: First) throws(Refusal) -> [UInt8] {
        let message = try parse(bytes[...])
        guard let encodedInput = message.value(at: 0, "c"), let input = SASLBase64.decode(encodedInput),
            let nonce = message.value(at: 1, "r"), let last = message.attributes.last,
            last.letter == UInt8(ascii: "p"), let proof = SASLBase64.decode(last.value)
        else { throw Refusal(.malformedRequest, .invalidEncoding) }
        guard SASLText.areEqualInConstantTime(input, first.channelBindingInput) else {
            throw Refusal(.notAuthorized, .channelBindingsDoNotMatch)
        }
        guard Array(nonce) == first.nonce else { throw Refusal(.notAuthorized, .otherError) }

        let digest = configuration.digest
        let withoutProof = bytes[..<(last.value.startIndex - ",p=".utf8.count)]
        let authMessage = first.messages + [UInt8(ascii: ",")] + withoutProof
        let clientSignature = digest.hmac(first.keys.storedKey, authMessage)
        guard proof.count == clientSignature.count else { throw Refusal(.notAuthorized, .invalidProof) }
        let clientKey = zip(proof, clientSignature).map { $0 ^ $1 }
        guard SASLText.areEqualInConstantTime(digest.hashValue(clientKey), first.keys.storedKey) else {
            throw Refusal(.notAuthorized, .invalidProof)
        }
        return Array("v=".utf8) + SASLBase64.encode(digest.hmac(first.keys.serverKey, authMessage))
    }

    private func parse(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> SCRAMMessage {
        let message: SCRAMMessage
        do {
            message = try SCRAMMessage(parsing: bytes)
        } catch {
            throw Refusal(.malformedRequest, .invalidEncoding)
        }
        guard message.value("m") == nil else { throw Refusal(.malformedRequest, .extensionsNotSupported) }
        return message
    }
}
