/// The cryptographic operations that OMEMO needs, injected by the program.
///
/// The module contains no cryptography and no randomness, so it compiles wherever Swift does and the program chooses the
/// library. Everything except ``randomBytes(_:)`` must be a pure function. Keys are 32 bytes unless stated otherwise; an
/// operation returns `nil` where the library refuses its input, and the caller turns that into a typed error.
public protocol OMEMOCryptography: Sendable {
    /// Unpredictable bytes for keys, nonces and padding. Throws ``OMEMOError/Code/randomnessUnavailable``.
    func randomBytes(_ count: Int) throws(OMEMOError) -> [UInt8]

    /// HMAC-SHA-256 (RFC 2104).
    func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8]
    /// HKDF-SHA-256, extract and expand (RFC 5869). At most 8,160 bytes.
    func hkdf(_ secret: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8]

    /// The X25519 public key of a private key (RFC 7748 §6.1).
    func x25519PublicKey(of privateKey: [UInt8]) -> [UInt8]?
    /// The shared secret of X25519; `nil` for a public key of low order, which would make it zero.
    func x25519(_ privateKey: [UInt8], with publicKey: [UInt8]) -> [UInt8]?

    /// The Ed25519 public key of a seed (RFC 8032 §5.1.5).
    func ed25519PublicKey(of seed: [UInt8]) -> [UInt8]?
    /// The 64-byte Ed25519 signature (RFC 8032 §5.1.6).
    func ed25519Signature(of message: [UInt8], seed: [UInt8]) -> [UInt8]?
    /// Whether an Ed25519 signature is valid (RFC 8032 §5.1.7).
    func isEd25519Signature(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool

    /// The X25519 private key whose public key is the converted Ed25519 public key of the seed: the first 32 bytes of
    /// the seed's SHA-512 (RFC 8032 §5.1.5).
    func x25519PrivateKey(ofEd25519Seed seed: [UInt8]) -> [UInt8]?
    /// The X25519 form of an Ed25519 public key, by the birational map of RFC 7748 §4.1.
    func x25519PublicKey(ofEd25519 publicKey: [UInt8]) -> [UInt8]?
    /// The Ed25519 form of an X25519 public key, with the sign bit 0.
    func ed25519PublicKey(ofX25519 publicKey: [UInt8]) -> [UInt8]?

    /// AES-256-CBC with PKCS #7 padding; the initialisation vector has 16 bytes.
    func cbcEncrypted(_ plaintext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]?
    /// The inverse of ``cbcEncrypted(_:key:vector:)``; `nil` if the padding is wrong.
    func cbcDecrypted(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]?

    /// AES-GCM with a key of 16 or 32 bytes: the ciphertext, followed by the 16-byte tag.
    func gcmSealed(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]?
    /// The inverse of ``gcmSealed(_:key:nonce:)``; `nil` if the tag is wrong.
    func gcmOpened(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]?

    /// Whether both are equal, in a time that depends only on the lengths.
    func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool
}
