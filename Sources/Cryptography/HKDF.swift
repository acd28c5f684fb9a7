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
        output.reserveCapacity(byteCount + function.byteCount)
        var block: [UInt8] = []
        var counter: UInt8 = 0
        while output.count < byteCount {
            counter += 1
            block = HMAC.authenticationCode(for: block + info + [counter], key: extracted, using: function)
            output.append(contentsOf: block)
        }
        ConstantTime.erase(&block)
        output.removeLast(output.count - byteCount)
        return output
    }
}
