extension OMEMOSession {
    /// A new session with the device of a bundle. Nothing is sent until the first
    /// ``encrypt(_:using:)``, and every message repeats the key exchange until the other device answers.
    ///
    /// Whether the identity key of the bundle is trusted must be decided before.
    ///
    /// - Parameters:
    ///   - identity: this device's identity.
    ///   - device: this device's id, which the legacy generation carries along.
    public static func initiate(
        with bundle: VerifiedBundle, by identity: IdentityKeyPair, device: OMEMODevice,
        using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> OMEMOSession {
        let preKey = try bundle.randomPreKey(using: cryptography)
        let ephemeral = SecretBytes(try cryptography.randomBytes(32))
        guard let ephemeralKey = cryptography.x25519PublicKey(of: ephemeral.bytes) else {
            throw OMEMOError(.invalidKey)
        }
        let secret = try KeyAgreement.secret(
            of: identity, ephemeral: ephemeral, with: bundle, preKey: preKey.key, using: cryptography)
        let cipher = MessageCipher(generation: bundle.generation, cryptography: cryptography)
        let first = try SendingChain.following(secret, bundle.signedPreKey, previousCount: 0, cipher)
        let header = KeyExchangeHeader(
            preKey: preKey.id, signedPreKey: bundle.signedPreKeyID,
            identityKey: identity.publicKey.bytes(of: bundle.generation), ephemeralKey: ephemeralKey,
            registration: device.number)
        let binding = Binding(
            generation: bundle.generation, local: identity.publicKey, peer: bundle.identityKey, isInitiator: true,
            ephemeralKey: ephemeralKey)
        return OMEMOSession(
            binding, .initiated(Initiated(header: header, root: first.root, sending: first.sending)))
    }

    /// A session that another device made, with its first message.
    public struct Accepted: ~Copyable, Sendable {
        public var session: OMEMOSession
        public let decryption: OMEMODecryption
    }

    /// The session that a key exchange asks for, and the message in it.
    ///
    /// The one-time key must be deleted afterwards, at the latest when the archive has been read, and the bundle published
    /// without it (XEP-0384 §5.7). An earlier session with the device is replaced only now that the message has proved to
    /// be authentic.
    ///
    /// - Parameters:
    ///   - signedPreKey: the key pair with the id that the key exchange names, current or previous; `nil` if there is none.
    ///   - preKey: the one-time key with the id that the key exchange names; `nil` if there is none.
    ///   - now: the time in seconds since 1970.
    public static func accept(
        _ keyExchange: KeyExchangeMessage, by identity: IdentityKeyPair, signedPreKey: PreKeyPair?,
        preKey: PreKeyPair?, now: Int64, using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> Accepted {
        guard let signedPreKey, signedPreKey.id == keyExchange.signedPreKey else {
            throw OMEMOError(.unknownSignedPreKey)
        }
        guard let preKey, preKey.id == keyExchange.preKey else { throw OMEMOError(.unknownPreKey) }
        let generation = keyExchange.generation
        let peer = try keyExchange.identity(using: cryptography)
        let secret = try KeyAgreement.secret(
            of: identity, signedPreKey: signedPreKey.privateKey, preKey: preKey.privateKey, with: peer,
            ephemeral: keyExchange.ephemeralKey, generation: generation, using: cryptography)
        let binding = Binding(
            generation: generation, local: identity.publicKey, peer: peer, isInitiator: false,
            ephemeralKey: keyExchange.ephemeralKey)
        let cipher = MessageCipher(generation: generation, cryptography: cryptography)
        // The signed pre-key is this side's first ratchet key; it never sends with it.
        let own = SendingChain(
            privateKey: signedPreKey.privateKey, publicKey: signedPreKey.publicKey, chain: SecretBytes([]))
        let (established, plaintext) = try Established.following(
            secret, own, keyExchange.message, binding.associated(isSending: false), now: now, cipher)
        return Accepted(
            session: OMEMOSession(binding, .established(established)),
            decryption: established.decryption(plaintext, isKeyExchange: true))
    }
}
