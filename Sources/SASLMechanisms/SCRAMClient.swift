/// The client side of SCRAM (RFC 5802, RFC 7677), with and without channel binding.
///
/// Both ends prove that they know the password, and neither sends it:
///
///     C: n,,n=user,r=<our nonce>
///     S: r=<our nonce><its nonce>,s=<salt>,i=<iterations>
///     C: c=biws,r=<both nonces>,p=<proof>
///     S: v=<signature>
///
/// The signature comes in a separate challenge or with the success; without a valid one the exchange fails. If the
/// server signs its list of mechanisms (XEP-0474), the client compares it with the list that it received.
public struct SCRAMClient: SASLClientMechanism {
    public let name: SASLMechanismName
    private let digest: SASLDigest
    private let channelBinding: GS2ChannelBinding
    private let iterations: ClosedRange<Int>
    private let offer: SASLOffer?
    private let tlsVersion: String?
    private var state: State

    private enum State {
        /// Nothing was sent. → `awaitingSalt`
        case initial(SASLCredentials, nonce: String)
        /// The first message was sent, the server's is expected. → `awaitingSignature`
        case awaitingSalt(First)
        /// The proof was sent, the server's is expected. → `verified`
        case awaitingSignature(Proof)
        /// The server proved that it knows the password.
        case verified(SCRAMKeys)
        /// The exchange is over.
        case failed
    }

    private struct First {
        let credentials: SASLCredentials
        let nonce: [UInt8]
        let header: [UInt8]
        let bare: [UInt8]
    }

    private struct Proof {
        let keys: SCRAMKeys
        let serverSignature: [UInt8]
    }

    /// Creates an exchange that has not started.
    ///
    /// `nonce` must be new for each exchange and unpredictable: printable ASCII without a comma, for example the base64
    /// of 18 or more random bytes. `offer` is what the server offered, to compare with XEP-0474's attribute; `nil`
    /// skips the check. `tlsVersion` is the version of the connection in four hexadecimal digits, to compare with
    /// XEP-0515's attribute; `nil` skips the check.
    public init(
        credentials: SASLCredentials, digest: SASLDigest, channelBinding: GS2ChannelBinding = .unsupported,
        nonce: String, iterations: ClosedRange<Int> = SCRAMLimits.iterations, offer: SASLOffer? = nil,
        tlsVersion: String? = nil
    ) {
        precondition(
            !nonce.isEmpty && SCRAMMessage.isPrintable(nonce.utf8), "A nonce must be printable ASCII without a comma.")
        if case .bound = channelBinding {
            name = .scram(digest.hash, channelBound: true)
        } else {
            name = .scram(digest.hash)
        }
        self.digest = digest
        self.channelBinding = channelBinding
        self.iterations = iterations
        self.offer = offer
        self.tlsVersion = tlsVersion
        state = .initial(credentials, nonce: nonce)
    }

    /// The keys of this exchange, after the server has proved itself with them.
    public var reusableKeys: SCRAMKeys? {
        if case .verified(let keys) = state { keys } else { nil }
    }

    public mutating func start() throws(SASLError) -> [UInt8]? {
        guard case .initial(let credentials, let nonce) = state else {
            preconditionFailure("An exchange starts only once.")
        }
        state = .failed
        let username = try SASLText.bytes(of: credentials.username, naming: "user name")
        var header = Array("\(channelBinding.flag),".utf8)
        if let authorizationID = credentials.authorizationID {
            let identity = try SASLText.bytes(of: authorizationID, naming: "authorization identity")
            header += Array("a=".utf8) + SCRAMMessage.escape(identity)
        }
        header.append(UInt8(ascii: ","))
        let nonceBytes = Array(nonce.utf8)
        let bare = Array("n=".utf8) + SCRAMMessage.escape(username) + Array(",r=".utf8) + nonceBytes
        state = .awaitingSalt(First(credentials: credentials, nonce: nonceBytes, header: header, bare: bare))
        return header + bare
    }

    public mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        let previous = state
        state = .failed
        switch previous {
        case .initial, .verified, .failed:
            throw SASLError(.unexpectedMessage)
        case .awaitingSalt(let first):
            let (response, proof) = try answer(to: challenge, after: first)
            state = .awaitingSignature(proof)
            return response
        case .awaitingSignature(let proof):
            try verify(challenge, against: proof)
            state = .verified(proof.keys)
            return []
        }
    }

    public mutating func succeed(with additionalData: [UInt8]?) throws(SASLError) {
        let previous = state
        state = .failed
        switch previous {
        case .initial, .awaitingSalt, .failed:
            throw SASLError(.unexpectedMessage)
        case .awaitingSignature(let proof):
            guard let additionalData, !additionalData.isEmpty else { throw SASLError(.serverSignatureMissing) }
            try verify(additionalData, against: proof)
            state = .verified(proof.keys)
        case .verified(let keys):
            guard additionalData?.isEmpty ?? true else { throw SASLError(.unexpectedMessage) }
            state = .verified(keys)
        }
    }

    // MARK: The server's messages

    private struct Challenge {
        let nonce: [UInt8]
        let salt: [UInt8]
        let iterations: Int
    }

    private func answer(to challenge: [UInt8], after first: First) throws(SASLError) -> ([UInt8], Proof) {
        let server = try read(challenge, after: first)
        let keys = try keys(of: first.credentials, for: server)

        let withoutProof =
            Array("c=".utf8) + SASLBase64.encode(first.header + channelBinding.data) + Array(",r=".utf8) + server.nonce
        let comma = [UInt8(ascii: ",")]
        let authMessage = first.bare + comma + challenge + comma + withoutProof
        let clientSignature = digest.hmac(digest.hashValue(keys.clientKey), authMessage)
        let clientProof = zip(keys.clientKey, clientSignature).map { $0 ^ $1 }
        let response = withoutProof + Array(",p=".utf8) + SASLBase64.encode(clientProof)
        return (response, Proof(keys: keys, serverSignature: digest.hmac(keys.serverKey, authMessage)))
    }

    /// `server-first-message` of RFC 5802 §7: three attributes in order, then optional ones that may be ignored.
    private func read(_ challenge: [UInt8], after first: First) throws(SASLError) -> Challenge {
        let message = try parse(challenge)
        guard let nonce = message.value(at: 0, "r"), SCRAMMessage.isPrintable(nonce) else {
            throw SASLError(.malformedMessage(what: "the nonce"))
        }
        guard nonce.count > first.nonce.count, nonce.starts(with: first.nonce) else {
            throw SASLError(.nonceNotExtended)
        }
        guard let encodedSalt = message.value(at: 1, "s"), let salt = SASLBase64.decode(encodedSalt) else {
            throw SASLError(.malformedMessage(what: "the salt"))
        }
        guard !salt.isEmpty else { throw SASLError(.emptySalt) }
        guard let digits = message.value(at: 2, "i"), let count = SCRAMMessage.positiveNumber(digits) else {
            throw SASLError(.malformedMessage(what: "the iteration count"))
        }
        guard iterations.contains(count) else {
            throw SASLError(.iterationCountOutOfRange(count, allowed: iterations))
        }
        if let offer { try check(offer, signedIn: message) }
        // Signed with the rest: a different version on the server's side means that something in between terminates TLS
        // (XEP-0515 §5.2).
        if let tlsVersion, let signed = message.value("t"), signed.elementsEqual(tlsVersion.utf8) == false {
            throw SASLError(.offerTampered)
        }
        return Challenge(nonce: Array(nonce), salt: salt, iterations: count)
    }

    /// `server-final-message`: the signature or an error, then optional attributes.
    private func verify(_ bytes: [UInt8], against proof: Proof) throws(SASLError) {
        let message = try parse(bytes)
        guard let encoded = message.value(at: 0, "v") else { throw SASLError(.serverSignatureMissing) }
        guard let signature = SASLBase64.decode(encoded) else {
            throw SASLError(.malformedMessage(what: "the signature"))
        }
        guard SASLText.areEqualInConstantTime(signature, proof.serverSignature) else {
            throw SASLError(.serverSignatureMismatch)
        }
    }

    private func parse(_ bytes: [UInt8]) throws(SASLError) -> SCRAMMessage {
        let message: SCRAMMessage
        do {
            message = try SCRAMMessage(parsing: bytes[...])
        } catch {
            throw SASLError(.malformedMessage(what: error.part))
        }
        guard message.value("m") == nil else { throw SASLError(.mandatoryExtension) }
        if let reason = message.value(at: 0, "e") {
            throw SASLError(.serverReported(SCRAMServerError(rawValue: String(decoding: reason, as: UTF8.self))))
        }
        return message
    }

    private func keys(of credentials: SASLCredentials, for server: Challenge) throws(SASLError) -> SCRAMKeys {
        let kept = credentials.scramKeys.first {
            $0.hash == digest.hash && $0.salt == server.salt && $0.iterations == server.iterations
                && $0.clientKey.count == digest.hash.byteCount && $0.serverKey.count == digest.hash.byteCount
        }
        if let kept { return kept }
        guard let password = credentials.password else { throw SASLError(.passwordNeeded) }
        _ = try SASLText.bytes(of: password, naming: "password")
        let derived = SCRAMKeys(
            password: password, salt: server.salt, iterations: server.iterations, digest: digest)
        guard let derived else { throw SASLError(.digestRefused) }
        return derived
    }

    private func check(_ offer: SASLOffer, signedIn message: SCRAMMessage) throws(SASLError) {
        for spelling in SCRAMOfferSpelling.allCases {
            guard let encoded = message.value(spelling.attribute) else { continue }
            guard let signed = offer.signedBytes(spelling), SASLBase64.decode(encoded) == digest.hashValue(signed)
            else { throw SASLError(.offerTampered) }
        }
    }
}
