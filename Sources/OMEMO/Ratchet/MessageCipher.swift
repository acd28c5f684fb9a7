/// The symmetric steps of the double ratchet (XEP-0384 §4.3).
struct MessageCipher: Sendable {
    let generation: OMEMOGeneration
    let cryptography: any OMEMOCryptography

    /// One step of the root chain: a new root key and the key of a new chain.
    func rootStep(
        _ root: SecretBytes, _ privateKey: SecretBytes, with publicKey: [UInt8]
    ) throws(OMEMOError) -> (root: SecretBytes, chain: SecretBytes) {
        guard let agreed = cryptography.x25519(privateKey.bytes, with: publicKey) else {
            throw OMEMOError(.invalidKey)
        }
        let secret = SecretBytes(agreed)
        var output = cryptography.hkdf(
            secret.bytes, salt: root.bytes, info: generation.rootInfo, byteCount: 64)
        defer { SecretBytes.erase(&output) }
        return (SecretBytes(Array(output[..<32])), SecretBytes(Array(output[32...])))
    }

    /// One step of a chain: the key of one message and the key of the rest of the chain.
    func chainStep(_ chain: SecretBytes) -> (message: SecretBytes, chain: SecretBytes) {
        (
            SecretBytes(cryptography.hmac([1], key: chain.bytes)), SecretBytes(cryptography.hmac([2], key: chain.bytes))
        )
    }

    /// The key of a chain some messages later.
    func chain(_ chain: SecretBytes, after count: UInt32) -> SecretBytes {
        var chain = chain
        for _ in 0..<count { chain = SecretBytes(cryptography.hmac([2], key: chain.bytes)) }
        return chain
    }

    /// Encrypts and authenticates one message; `associated` are the identity keys.
    func seal(
        _ plaintext: [UInt8], key: SecretBytes, associated: [UInt8], ratchetKey: [UInt8], counter: UInt32,
        previousCount: UInt32
    ) throws(OMEMOError) -> RatchetMessage {
        let keys = MessageKeys(key, self)
        guard
            let ciphertext = cryptography.cbcEncrypted(plaintext, key: keys.encryption.bytes, vector: keys.vector)
        else { throw OMEMOError(.invalidKey) }
        return RatchetMessage(
            generation, ratchetKey: ratchetKey, counter: counter, previousCount: previousCount, ciphertext: ciphertext
        ) { covered in cryptography.hmac(associated + covered, key: keys.authentication.bytes) }
    }

    /// Checks and decrypts one message; `nil` if its authentication code is wrong.
    func open(
        _ message: RatchetMessage, key: SecretBytes, associated: [UInt8]
    ) throws(OMEMOError) -> [UInt8]? {
        let keys = MessageKeys(key, self)
        let code = cryptography.hmac(associated + message.covered, key: keys.authentication.bytes)
        guard cryptography.areEqual(Array(code.prefix(generation.codeByteCount)), message.code) else { return nil }
        guard
            let plaintext = cryptography.cbcDecrypted(
                message.ciphertext, key: keys.encryption.bytes, vector: keys.vector)
        else { throw OMEMOError(.malformed) }
        return plaintext
    }

    private struct MessageKeys {
        let encryption: SecretBytes
        let authentication: SecretBytes
        let vector: [UInt8]

        init(_ key: SecretBytes, _ cipher: MessageCipher) {
            var material = cipher.cryptography.hkdf(
                key.bytes, salt: [UInt8](repeating: 0, count: 32), info: cipher.generation.messageInfo, byteCount: 80)
            encryption = SecretBytes(Array(material[..<32]))
            authentication = SecretBytes(Array(material[32..<64]))
            vector = Array(material[64...])
            SecretBytes.erase(&material)
        }
    }
}
