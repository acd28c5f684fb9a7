internal import COpenSSL

/// AES with a key of 256 bits in cipher block chaining, with PKCS #7 padding (NIST SP 800-38A, RFC 5652 §6.3).
///
/// It does not authenticate: check an ``HMAC`` of the ciphertext before you decrypt.
public enum AESCBC {
    /// The ciphertext, 1 to 16 bytes longer than `plaintext`; `nil` unless the key has 32 bytes and the vector 16.
    public static func encrypt(_ plaintext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        run(plaintext, key, vector, encrypts: true)
    }

    /// The plaintext; `nil` for keys of another length and if the padding is wrong.
    public static func decrypt(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        run(ciphertext, key, vector, encrypts: false)
    }

    /// Decrypts in pieces of any length.
    public struct Decryption: ~Copyable {
        private var cipher: CipherContext

        /// Throws ``CryptographyError/Code/invalidByteCount(_:)`` for a key or vector of another length.
        public init(key: [UInt8], vector: [UInt8]) throws(CryptographyError) {
            guard key.count == 32 else { throw CryptographyError(.invalidByteCount(key.count)) }
            guard vector.count == 16 else { throw CryptographyError(.invalidByteCount(vector.count)) }
            guard let cipher = CipherContext.start(.cbc256, key: key, vector: vector, encrypts: false) else {
                throw CryptographyError.fromLibrary(.refused)
            }
            self.cipher = cipher
        }

        /// The plaintext so far; the last block is held back.
        public mutating func update(_ ciphertext: [UInt8]) throws(CryptographyError) -> [UInt8] {
            guard let output = cipher.update(ciphertext) else { throw CryptographyError.fromLibrary(.refused) }
            return output
        }

        /// The rest of the plaintext. Throws ``CryptographyError/Code/refused`` if the padding is wrong.
        public consuming func finish() throws(CryptographyError) -> [UInt8] {
            guard let output = cipher.finish() else { throw CryptographyError.fromLibrary(.refused) }
            return output
        }
    }

    private static func run(_ input: [UInt8], _ key: [UInt8], _ vector: [UInt8], encrypts: Bool) -> [UInt8]? {
        guard key.count == 32, vector.count == 16,
            var cipher = CipherContext.start(.cbc256, key: key, vector: vector, encrypts: encrypts)
        else { return nil }
        guard var output = cipher.update(input), let last = cipher.finish() else {
            ERR_clear_error()
            return nil
        }
        output.append(contentsOf: last)
        return output
    }
}

/// AES in Galois/counter mode with a tag of 16 bytes (NIST SP 800-38D), in pieces for files.
///
/// The plaintext that ``Decryption/update(_:)`` returns is not authenticated until ``Decryption/finish(tag:)`` succeeds:
/// write it to a temporary file and discard it on an error.
public enum AESGCM {
    /// The length of a tag, in bytes.
    public static let tagByteCount = 16

    /// The ciphertext, followed by the tag; `nil` unless the key has 16 or 32 bytes and the nonce 1 to 16.
    public static func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        guard var encryption = try? Encryption(key: key, nonce: nonce),
            var sealed = try? encryption.update(plaintext), let tag = try? encryption.finish()
        else { return nil }
        sealed.append(contentsOf: tag)
        return sealed
    }

    /// The plaintext of a ciphertext that is followed by its tag; `nil` if the tag is wrong.
    public static func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        guard sealed.count >= tagByteCount, var decryption = try? Decryption(key: key, nonce: nonce),
            let plaintext = try? decryption.update(Array(sealed.dropLast(tagByteCount))),
            (try? decryption.finish(tag: Array(sealed.suffix(tagByteCount)))) != nil
        else { return nil }
        return plaintext
    }

    /// Encrypts in pieces of any length.
    public struct Encryption: ~Copyable {
        private var cipher: CipherContext

        /// Throws ``CryptographyError/Code/invalidByteCount(_:)`` for a key or nonce of another length.
        public init(key: [UInt8], nonce: [UInt8]) throws(CryptographyError) {
            cipher = try AESGCM.cipher(key, nonce, encrypts: true)
        }

        /// The ciphertext of the next piece, of the same length.
        public mutating func update(_ plaintext: [UInt8]) throws(CryptographyError) -> [UInt8] {
            guard let output = cipher.update(plaintext) else { throw CryptographyError.fromLibrary(.refused) }
            return output
        }

        /// The tag, after all pieces.
        public consuming func finish() throws(CryptographyError) -> [UInt8] {
            guard cipher.finish() != nil, let tag = cipher.tag() else {
                throw CryptographyError.fromLibrary(.refused)
            }
            return tag
        }
    }

    /// Decrypts in pieces of any length.
    public struct Decryption: ~Copyable {
        private var cipher: CipherContext

        /// Throws ``CryptographyError/Code/invalidByteCount(_:)`` for a key or nonce of another length.
        public init(key: [UInt8], nonce: [UInt8]) throws(CryptographyError) {
            cipher = try AESGCM.cipher(key, nonce, encrypts: false)
        }

        /// The plaintext of the next piece, not yet authenticated.
        public mutating func update(_ ciphertext: [UInt8]) throws(CryptographyError) -> [UInt8] {
            guard let output = cipher.update(ciphertext) else { throw CryptographyError.fromLibrary(.refused) }
            return output
        }

        /// Throws ``CryptographyError/Code/refused`` unless `tag` is the tag of all pieces.
        public consuming func finish(tag: [UInt8]) throws(CryptographyError) {
            guard tag.count == tagByteCount, cipher.setTag(tag), cipher.finish() != nil else {
                throw CryptographyError.fromLibrary(.refused)
            }
        }
    }

    private static func cipher(
        _ key: [UInt8], _ nonce: [UInt8], encrypts: Bool
    ) throws(CryptographyError) -> CipherContext {
        guard key.count == 16 || key.count == 32 else { throw CryptographyError(.invalidByteCount(key.count)) }
        guard (1...16).contains(nonce.count) else { throw CryptographyError(.invalidByteCount(nonce.count)) }
        let kind = key.count == 16 ? CipherContext.Kind.gcm128 : .gcm256
        guard let cipher = CipherContext.start(kind, key: key, vector: nonce, encrypts: encrypts) else {
            throw CryptographyError.fromLibrary(.refused)
        }
        return cipher
    }
}
