/// The shared secret of a new session (X3DH with the parameters of XEP-0384 §4.2).
enum KeyAgreement {
    /// The initiator's side.
    static func secret(
        of identity: IdentityKeyPair, ephemeral: SecretBytes, with bundle: VerifiedBundle, preKey: [UInt8],
        using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> SecretBytes {
        try secret(
            bundle.generation,
            [
                (identity.agreementKey, bundle.signedPreKey), (ephemeral, bundle.identityKey.x25519),
                (ephemeral, bundle.signedPreKey), (ephemeral, preKey),
            ], cryptography)
    }

    /// The recipient's side: the same agreements with the private keys of the other side.
    static func secret(
        of identity: IdentityKeyPair, signedPreKey: SecretBytes, preKey: SecretBytes, with peer: IdentityKey,
        ephemeral: [UInt8], generation: OMEMOGeneration, using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> SecretBytes {
        try secret(
            generation,
            [
                (signedPreKey, peer.x25519), (identity.agreementKey, ephemeral), (signedPreKey, ephemeral),
                (preKey, ephemeral),
            ], cryptography)
    }

    private static func secret(
        _ generation: OMEMOGeneration, _ pairs: [(SecretBytes, [UInt8])], _ cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> SecretBytes {
        // 32 bytes of ones separate the input from an encoded public key (X3DH §2.2).
        var input = [UInt8](repeating: 0xff, count: 32)
        input.reserveCapacity(32 * (pairs.count + 1))
        defer { SecretBytes.erase(&input) }
        for (privateKey, publicKey) in pairs {
            guard var secret = cryptography.x25519(privateKey.bytes, with: publicKey) else {
                throw OMEMOError(.invalidKey)
            }
            input.append(contentsOf: secret)
            SecretBytes.erase(&secret)
        }
        return SecretBytes(
            cryptography.hkdf(
                input, salt: [UInt8](repeating: 0, count: 32), info: generation.agreementInfo, byteCount: 32))
    }
}
