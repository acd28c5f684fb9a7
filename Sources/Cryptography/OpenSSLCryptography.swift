public import OMEMO

/// The operations of OMEMO over libcrypto.
public struct OpenSSLCryptography: OMEMOCryptography {
    public init() {}

    public func randomBytes(_ count: Int) throws(OMEMOError) -> [UInt8] {
        do { return try SecureRandom.bytes(count) } catch { throw OMEMOError(.randomnessUnavailable) }
    }

    public func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        HMAC.authenticationCode(for: message, key: key, using: .sha256)
    }

    public func hkdf(_ secret: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8] {
        do { return try HKDF.deriveKey(from: secret, salt: salt, info: info, byteCount: byteCount) } catch {
            preconditionFailure("HKDF derives at most 8,160 bytes.")
        }
    }

    public func x25519PublicKey(of privateKey: [UInt8]) -> [UInt8]? { X25519.publicKey(of: privateKey) }

    public func x25519(_ privateKey: [UInt8], with publicKey: [UInt8]) -> [UInt8]? {
        X25519.sharedSecret(privateKey, with: publicKey)
    }

    public func ed25519PublicKey(of seed: [UInt8]) -> [UInt8]? { Ed25519.publicKey(of: seed) }

    public func ed25519Signature(of message: [UInt8], seed: [UInt8]) -> [UInt8]? {
        Ed25519.signature(of: message, seed: seed)
    }

    public func isEd25519Signature(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
        Ed25519.isSignature(signature, of: message, by: publicKey)
    }

    public func x25519PrivateKey(ofEd25519Seed seed: [UInt8]) -> [UInt8]? { X25519.privateKey(ofEd25519Seed: seed) }

    public func x25519PublicKey(ofEd25519 publicKey: [UInt8]) -> [UInt8]? { X25519.publicKey(ofEd25519: publicKey) }

    public func ed25519PublicKey(ofX25519 publicKey: [UInt8]) -> [UInt8]? { Ed25519.publicKey(ofX25519: publicKey) }

    public func cbcEncrypted(_ plaintext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        AESCBC.encrypt(plaintext, key: key, vector: vector)
    }

    public func cbcDecrypted(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        AESCBC.decrypt(ciphertext, key: key, vector: vector)
    }

    public func gcmSealed(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        AESGCM.seal(plaintext, key: key, nonce: nonce)
    }

    public func gcmOpened(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        AESGCM.open(sealed, key: key, nonce: nonce)
    }

    public func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool { ConstantTime.areEqual(one, other) }
}
