internal import COpenSSL

/// Unpredictable bytes from libcrypto's generator, which the operating system seeds.
public enum SecureRandom {
    /// `count` random bytes. Throws if the system provides no randomness; there is no weaker source to fall back to.
    public static func bytes(_ count: Int) throws(CryptographyError) -> [UInt8] {
        guard let length = Int32(exactly: count), length >= 0 else {
            throw CryptographyError(.invalidByteCount(count))
        }
        Library.isReady
        var bytes = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&bytes, length) == 1 else { throw CryptographyError.fromLibrary(.randomnessUnavailable) }
        return bytes
    }
}
