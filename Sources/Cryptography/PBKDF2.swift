internal import COpenSSL

/// A slow key derivation from a password (PBKDF2 with HMAC, RFC 8018 §5.2), which is `Hi()` of SCRAM (RFC 5802 §2.2).
///
/// The time is proportional to the iterations: 10 000 take a few milliseconds. A caller that gets the count from a peer
/// must limit it first.
public enum PBKDF2 {
    /// Derives a key of `byteCount` bytes, by default of the length of one hash value.
    ///
    /// Throws if the iteration count or the length is out of range, or if libcrypto's configuration forbids the
    /// parameters.
    public static func deriveKey(
        password: [UInt8], salt: [UInt8], iterations: Int, byteCount: Int? = nil, using function: HashFunction
    ) throws(CryptographyError) -> [UInt8] {
        let length = byteCount ?? function.byteCount
        guard let rounds = Int32(exactly: iterations), rounds > 0 else {
            throw CryptographyError(.invalidIterationCount(iterations))
        }
        guard let outputLength = Int32(exactly: length), outputLength > 0 else {
            throw CryptographyError(.invalidByteCount(length))
        }
        guard let passwordLength = Int32(exactly: password.count) else {
            throw CryptographyError(.invalidByteCount(password.count))
        }
        guard let saltLength = Int32(exactly: salt.count) else {
            throw CryptographyError(.invalidByteCount(salt.count))
        }
        var key = [UInt8](repeating: 0, count: length)
        let result = password.withUnsafeBytes { password in
            PKCS5_PBKDF2_HMAC(
                password.baseAddress?.assumingMemoryBound(to: CChar.self), passwordLength, salt, saltLength, rounds,
                function.implementation, outputLength, &key)
        }
        guard result == 1 else { throw CryptographyError.fromLibrary(.refused) }
        return key
    }
}
