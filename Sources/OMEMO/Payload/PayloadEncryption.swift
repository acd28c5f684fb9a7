/// The payload of a message in the current generation: AES-256-CBC and HMAC-SHA-256 with one random key
/// (XEP-0384 §4.4).
public struct EncryptedPayload: Sendable {
    /// The content of the element `<payload/>`.
    public let payload: [UInt8]
    /// What every session encrypts for its device: the key and the authentication code, 48 bytes.
    public let key: SecretBytes

    /// What sessions encrypt for an empty message (XEP-0384 §5.5.3).
    public static let emptyKey = [UInt8](repeating: 0, count: 32)

    private static let keyByteCount = 32
    private static let codeByteCount = 16

    /// Encrypts an envelope.
    public init(_ plaintext: [UInt8], using cryptography: any OMEMOCryptography) throws(OMEMOError) {
        let key = SecretBytes(try cryptography.randomBytes(Self.keyByteCount))
        let keys = Self.keys(key, cryptography)
        guard
            let payload = cryptography.cbcEncrypted(plaintext, key: keys.encryption.bytes, vector: keys.vector)
        else { throw OMEMOError(.invalidKey) }
        let code = cryptography.hmac(payload, key: keys.authentication.bytes).prefix(Self.codeByteCount)
        self.payload = payload
        self.key = SecretBytes(key.bytes + code)
    }

    /// Decrypts a payload with what a session decrypted. Throws ``OMEMOError/Code/damagedPayload``.
    public static func decrypt(
        _ payload: [UInt8], key: [UInt8], using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> [UInt8] {
        guard key.count == keyByteCount + codeByteCount else { throw OMEMOError(.damagedPayload) }
        let keys = keys(SecretBytes(Array(key.prefix(keyByteCount))), cryptography)
        let code = cryptography.hmac(payload, key: keys.authentication.bytes).prefix(codeByteCount)
        guard cryptography.areEqual(Array(code), Array(key.suffix(codeByteCount))),
            let plaintext = cryptography.cbcDecrypted(payload, key: keys.encryption.bytes, vector: keys.vector)
        else { throw OMEMOError(.damagedPayload) }
        return plaintext
    }

    private static func keys(
        _ key: SecretBytes, _ cryptography: any OMEMOCryptography
    ) -> (encryption: SecretBytes, authentication: SecretBytes, vector: [UInt8]) {
        var material = cryptography.hkdf(
            key.bytes, salt: [UInt8](repeating: 0, count: 32), info: Array("OMEMO Payload".utf8), byteCount: 80)
        defer { SecretBytes.erase(&material) }
        return (
            SecretBytes(Array(material[..<32])), SecretBytes(Array(material[32..<64])), Array(material[64...])
        )
    }
}

/// The payload of a message in the legacy generation: AES-128-GCM; the tag travels with the key
/// (XEP-0384 0.3 §4.4).
public struct LegacyPayload: Sendable {
    /// The content of the element `<payload/>`.
    public let payload: [UInt8]
    /// The content of the element `<iv/>`, 12 bytes.
    public let nonce: [UInt8]
    /// What every session encrypts for its device: the key and the tag, 32 bytes.
    public let key: SecretBytes

    /// The nonces that are read: 12 bytes, and 16 from earlier programs.
    static let nonceByteCounts: Set<Int> = [12, 16]
    private static let keyByteCount = 16
    private static let tagByteCount = 16

    /// Encrypts a body. Without one, as in an empty message, only key and nonce are of use.
    public init(_ body: [UInt8], using cryptography: any OMEMOCryptography) throws(OMEMOError) {
        let key = SecretBytes(try cryptography.randomBytes(Self.keyByteCount))
        nonce = try cryptography.randomBytes(12)
        guard let sealed = cryptography.gcmSealed(body, key: key.bytes, nonce: nonce) else {
            throw OMEMOError(.invalidKey)
        }
        payload = Array(sealed.dropLast(Self.tagByteCount))
        self.key = SecretBytes(key.bytes + sealed.suffix(Self.tagByteCount))
    }

    /// Decrypts a payload with what a session decrypted. A key without a tag is from a program that leaves the tag at the
    /// end of the payload. Throws ``OMEMOError/Code/damagedPayload``.
    public static func decrypt(
        _ payload: [UInt8], nonce: [UInt8], key: [UInt8], using cryptography: any OMEMOCryptography
    ) throws(OMEMOError) -> [UInt8] {
        guard key.count == keyByteCount || key.count == keyByteCount + tagByteCount,
            nonceByteCounts.contains(nonce.count)
        else { throw OMEMOError(.damagedPayload) }
        let sealed = payload + key.dropFirst(keyByteCount)
        let secret = SecretBytes(Array(key.prefix(keyByteCount)))
        guard let plaintext = cryptography.gcmOpened(sealed, key: secret.bytes, nonce: nonce) else {
            throw OMEMOError(.damagedPayload)
        }
        return plaintext
    }
}
