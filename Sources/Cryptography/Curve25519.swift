internal import COpenSSL

/// Key agreement on Curve25519 (X25519, RFC 7748). Keys are 32 bytes.
public enum X25519 {
    /// The public key of a private key, or `nil` if it has another length.
    public static func publicKey(of privateKey: [UInt8]) -> [UInt8]? {
        LibraryKey(private: privateKey, of: EVP_PKEY_X25519)?.publicBytes()
    }

    /// The shared secret, or `nil` if a key has another length or the public key is of low order (RFC 7748 §6.1).
    public static func sharedSecret(_ privateKey: [UInt8], with publicKey: [UInt8]) -> [UInt8]? {
        guard let own = LibraryKey(private: privateKey, of: EVP_PKEY_X25519),
            let peer = LibraryKey(public: publicKey, of: EVP_PKEY_X25519),
            let context = EVP_PKEY_CTX_new(own.pointer, nil)
        else { return nil }
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        var secret = [UInt8](repeating: 0, count: 32)
        var count = secret.count
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer.pointer) == 1,
            EVP_PKEY_derive(context, &secret, &count) == 1, count == 32
        else { return nil }
        return secret
    }

    /// The private key whose public key is that of the Ed25519 seed in the other form: the first half of the seed's
    /// SHA-512 (RFC 8032 §5.1.5). X25519 clamps it.
    public static func privateKey(ofEd25519Seed seed: [UInt8]) -> [UInt8]? {
        guard seed.count == 32 else { return nil }
        var expanded = SHA512.hash(seed)
        defer { ConstantTime.erase(&expanded) }
        return Array(expanded[..<32])
    }

    /// The X25519 form of an Ed25519 public key: u = (1 + y) / (1 − y) (RFC 7748 §4.1). `nil` if it has another length,
    /// is not below the prime, or is the neutral point.
    public static func publicKey(ofEd25519 key: [UInt8]) -> [UInt8]? {
        guard key.count == 32 else { return nil }
        var coordinate = key
        coordinate[31] &= 0x7f
        return FieldElement.map(coordinate) { $0.quotient(ofSum: true) }
    }
}

/// Signatures on Curve25519 (Ed25519, RFC 8032). Seeds and public keys are 32 bytes, signatures 64.
public enum Ed25519 {
    /// The public key of a seed, or `nil` if it has another length.
    public static func publicKey(of seed: [UInt8]) -> [UInt8]? {
        LibraryKey(private: seed, of: EVP_PKEY_ED25519)?.publicBytes()
    }

    /// The signature of `message`, or `nil` if the seed has another length.
    public static func signature(of message: [UInt8], seed: [UInt8]) -> [UInt8]? {
        guard let key = LibraryKey(private: seed, of: EVP_PKEY_ED25519), let context = EVP_MD_CTX_new() else {
            return nil
        }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 64)
        var count = signature.count
        guard EVP_DigestSignInit(context, nil, nil, nil, key.pointer) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == 64
        else { return nil }
        return signature
    }

    /// Whether `signature` is a signature of `message` by `publicKey`.
    public static func isSignature(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
        guard signature.count == 64, let key = LibraryKey(public: publicKey, of: EVP_PKEY_ED25519),
            let context = EVP_MD_CTX_new()
        else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// The Ed25519 form of an X25519 public key, with the sign bit 0: y = (u − 1) / (u + 1) (RFC 7748 §4.1).
    public static func publicKey(ofX25519 key: [UInt8]) -> [UInt8]? {
        guard key.count == 32 else { return nil }
        var coordinate = key
        coordinate[31] &= 0x7f
        return FieldElement.map(coordinate) { $0.quotient(ofSum: false) }
    }
}

/// A key of libcrypto, which overwrites it when it is freed.
private struct LibraryKey: ~Copyable {
    let pointer: OpaquePointer

    init?(private bytes: [UInt8], of type: Int32) {
        Library.isReady
        guard bytes.count == 32, let key = EVP_PKEY_new_raw_private_key(type, nil, bytes, bytes.count) else {
            return nil
        }
        pointer = key
    }

    init?(public bytes: [UInt8], of type: Int32) {
        Library.isReady
        guard bytes.count == 32, let key = EVP_PKEY_new_raw_public_key(type, nil, bytes, bytes.count) else {
            return nil
        }
        pointer = key
    }

    deinit { EVP_PKEY_free(pointer) }

    func publicBytes() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1, count == 32 else { return nil }
        return bytes
    }
}

/// A coordinate of a public key, modulo 2²⁵⁵ − 19. Not in constant time: only public values are converted.
private struct FieldElement: ~Copyable {
    private let value: OpaquePointer
    private let prime: OpaquePointer
    private let context: OpaquePointer

    /// The converted coordinate; `nil` if `littleEndian` is not below the prime or the conversion divides by zero.
    static func map(_ littleEndian: [UInt8], _ body: (borrowing FieldElement) -> [UInt8]?) -> [UInt8]? {
        let element = FieldElement(littleEndian)
        return element.isReduced ? body(element) : nil
    }

    private var isReduced: Bool { BN_cmp(value, prime) < 0 }

    private init(_ littleEndian: [UInt8]) {
        Library.isReady
        guard let value = BN_lebin2bn(littleEndian, Int32(littleEndian.count), nil), let prime = BN_new(),
            let context = BN_CTX_new()
        else { preconditionFailure("No memory for a number.") }
        guard BN_set_word(prime, 1) == 1, BN_lshift(prime, prime, 255) == 1, BN_sub_word(prime, 19) == 1 else {
            preconditionFailure("No memory for a number.")
        }
        (self.value, self.prime, self.context) = (value, prime, context)
    }

    deinit {
        BN_free(value)
        BN_free(prime)
        BN_CTX_free(context)
    }

    /// (1 + x) / (1 − x), or (x − 1) / (x + 1).
    func quotient(ofSum isSum: Bool) -> [UInt8]? {
        guard let one = BN_new(), let over = BN_new(), let under = BN_new() else {
            preconditionFailure("No memory for a number.")
        }
        defer {
            BN_free(one)
            BN_free(over)
            BN_free(under)
            ERR_clear_error()
        }
        BN_set_word(one, 1)
        let isComputed =
            isSum
            ? BN_mod_add(over, one, value, prime, context) == 1 && BN_mod_sub(under, one, value, prime, context) == 1
            : BN_mod_sub(over, value, one, prime, context) == 1 && BN_mod_add(under, value, one, prime, context) == 1
        guard isComputed, BN_mod_inverse(under, under, prime, context) != nil,
            BN_mod_mul(over, over, under, prime, context) == 1
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        guard BN_bn2lebinpad(over, &bytes, 32) == 32 else { return nil }
        return bytes
    }
}
