internal import COpenSSL

/// A keyed message authentication code over a hash function (RFC 2104).
public enum HMAC {
    /// The authentication code of `message` under `key`, as long as the function's hash value.
    ///
    /// A key may have any length, including none. Compare codes only with ``ConstantTime/areEqual(_:_:)``.
    public static func authenticationCode(
        for message: [UInt8], key: [UInt8], using function: HashFunction
    ) -> [UInt8] {
        // libcrypto reads a null key as "the previous key", so an empty key needs an address.
        let keyBytes = key.isEmpty ? [0] : key
        let messageBytes = message.isEmpty ? [0] : message
        return [UInt8](unsafeUninitializedCapacity: function.byteCount) { buffer, count in
            var written = 0
            let result = EVP_Q_mac(
                nil, "HMAC", nil, function.libraryName, nil, keyBytes, key.count, messageBytes, message.count,
                buffer.baseAddress, buffer.count, &written)
            guard result != nil, written == function.byteCount else {
                preconditionFailure("libcrypto cannot compute an HMAC over \(function.libraryName).")
            }
            count = written
        }
    }
}

/// Handling of secret bytes: comparison in a time that does not reveal where two differ, and erasure.
public enum ConstantTime {
    /// Whether both are equal. The time depends only on the lengths.
    public static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }

    /// Overwrites key bytes in place. Copies that Swift made before are out of reach.
    public static func erase(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
