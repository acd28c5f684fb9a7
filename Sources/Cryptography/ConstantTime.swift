internal import COpenSSL

/// Comparison whose duration does not tell where two secrets differ.
public enum ConstantTime {
    /// Whether both hold the same bytes. Only the lengths may show in the time it takes.
    public static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}
