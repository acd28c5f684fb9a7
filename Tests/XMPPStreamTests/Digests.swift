import Cryptography
import SASLMechanisms

extension SASLDigests {
    /// The digests of libcrypto, injected like in a program.
    static let library = SASLDigests(SASLHash.allCases.map { .library($0) })
}

extension SASLDigest {
    static func library(_ hash: SASLHash) -> SASLDigest {
        let function: HashFunction =
            switch hash {
            case .sha1: .sha1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        return SASLDigest(
            hash,
            hashValue: { function.hash($0) },
            hmac: { HMAC.authenticationCode(for: $1, key: $0, using: function) },
            pbkdf2: { try? PBKDF2.deriveKey(password: $0, salt: $1, iterations: $2, using: function) })
    }
}
