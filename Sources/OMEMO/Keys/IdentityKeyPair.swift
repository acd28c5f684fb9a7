/// The identity of this device: one key pair for both generations.
///
/// It is an Ed25519 seed whose public key has the sign bit 0. Its X25519 form is the key pair that the legacy generation
/// expects, and its Ed25519 signatures are valid XEdDSA signatures of that key pair.
public struct IdentityKeyPair: Sendable {
    /// The 32 secret bytes from which everything else is derived. They belong in the keyring.
    public let seed: SecretBytes
    public let publicKey: IdentityKey
    let agreementKey: SecretBytes

    /// The identity of a stored seed. Throws ``OMEMOError/Code/invalidKey`` if its public key has the sign bit 1.
    public init(seed: SecretBytes, using cryptography: any OMEMOCryptography) throws(OMEMOError) {
        guard seed.bytes.count == 32, let key = cryptography.ed25519PublicKey(of: seed.bytes), key[31] & 0x80 == 0,
            let agreementKey = cryptography.x25519PrivateKey(ofEd25519Seed: seed.bytes)
        else { throw OMEMOError(.invalidKey) }
        self.seed = seed
        self.agreementKey = SecretBytes(agreementKey)
        publicKey = try IdentityKey(ed25519: key, using: cryptography)
    }

    /// A new identity: seeds are drawn until the sign bit is 0, twice on average.
    public static func random(using cryptography: any OMEMOCryptography) throws(OMEMOError) -> IdentityKeyPair {
        while true {
            let seed = SecretBytes(try cryptography.randomBytes(32))
            guard let key = cryptography.ed25519PublicKey(of: seed.bytes) else { throw OMEMOError(.invalidKey) }
            if key[31] & 0x80 == 0 { return try IdentityKeyPair(seed: seed, using: cryptography) }
        }
    }

    /// The signature of `message`, valid for both generations.
    public func signature(
        of message: [UInt8], using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> [UInt8] {
        guard let signature = cryptography.ed25519Signature(of: message, seed: seed.bytes) else {
            throw OMEMOError(.invalidKey)
        }
        return signature
    }
}
