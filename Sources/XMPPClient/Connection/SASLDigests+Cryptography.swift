import Cryptography
package import SASLMechanisms

extension SASLDigests {
    /// The hash functions of libcrypto.
    package static let system = SASLDigests([
        SASLDigest(.sha1, over: .sha1), SASLDigest(.sha256, over: .sha256), SASLDigest(.sha512, over: .sha512),
    ])
}

extension SASLDigest {
    fileprivate init(_ hash: SASLHash, over function: HashFunction) {
        self.init(
            hash, hashValue: { function.hash($0) },
            hmac: { HMAC.authenticationCode(for: $1, key: $0, using: function) },
            pbkdf2: { try? PBKDF2.deriveKey(password: $0, salt: $1, iterations: $2, using: function) })
    }
}
