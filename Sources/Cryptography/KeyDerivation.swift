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

/// A key derivation from a secret that is already hard to guess (HKDF, RFC 5869).
public enum HKDF {
    /// Derives `byteCount` bytes: extract, then expand. At most 255 hash values; an empty salt counts as zeros.
    public static func deriveKey(
        from secret: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int, using function: HashFunction = .sha256
    ) throws(CryptographyError) -> [UInt8] {
        guard byteCount >= 0, byteCount <= 255 * function.byteCount else {
            throw CryptographyError(.invalidByteCount(byteCount))
        }
        var extracted = HMAC.authenticationCode(for: secret, key: salt, using: function)
        defer { ConstantTime.erase(&extracted) }
        var output: [UInt8] = []
        output.reserveCapacity(byteCount)
        var (block, input) = ([UInt8](), [UInt8]())
        // An array that grows would leave its bytes behind.
        input.reserveCapacity(function.byteCount + info.count + 1)
        defer {
            ConstantTime.erase(&block)
            ConstantTime.erase(&input)
        }
        var counter: UInt8 = 0
        while output.count < byteCount {
            counter += 1
            input.removeAll(keepingCapacity: true)
            input.append(contentsOf: block)
            input.append(contentsOf: info)
            input.append(counter)
            ConstantTime.erase(&block)
            block = HMAC.authenticationCode(for: input, key: extracted, using: function)
            output.append(contentsOf: block.prefix(byteCount - output.count))
        }
        return output
    }
}
