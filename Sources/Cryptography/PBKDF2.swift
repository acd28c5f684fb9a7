internal import COpenSSL

/// Derives a key from a password slowly (PBKDF2 over HMAC, RFC 8018 §5.2), which is `Hi()` of SCRAM (RFC 5802 §2.2).
///
/// The call takes as long as the iterations make it: 10 000 take a few milliseconds. A caller that takes the count
/// from a peer must bound it first.
public enum PBKDF2 {
    /// The derived key of `byteCount` bytes, or of one hash value's length where none is named.
    ///
    /// Throws where the count of iterations or the length is out of range, and where libcrypto's configuration
    /// forbids the parameters.
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
