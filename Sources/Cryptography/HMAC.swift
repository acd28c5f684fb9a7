internal import COpenSSL

/// A keyed message authentication code over a hash function (RFC 2104).
public enum HMAC {
    /// The authentication code of `message` under `key`, as long as the function's hash value.
    ///
    /// A key may have any length, none too. Compare codes with ``ConstantTime/areEqual(_:_:)`` only.
    public static func authenticationCode(
        for message: [UInt8], key: [UInt8], using function: HashFunction
    ) -> [UInt8] {
        // libcrypto takes a null key for "the key of before", so an empty key needs an address.
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
