import Cryptography
import SASLMechanisms
import ServerSide
import Testing

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

extension SCRAMServerKeys {
    /// The keys of the password `pencil`.
    static func pencil(_ hash: SASLHash, iterations: Int = 4096) throws -> SCRAMServerKeys {
        try #require(
            SCRAMServerKeys(
                password: "pencil", salt: Array("a salt of sixteen".utf8), iterations: iterations,
                digest: .library(hash)))
    }
}

extension SASLCredentials {
    static let pencil = SASLCredentials(username: "user", password: "pencil")
}

extension [UInt8] {
    init(_ text: String) { self = Array(text.utf8) }

    var text: String { String(decoding: self, as: UTF8.self) }
}

/// The result of an exchange.
enum Outcome: Equatable {
    case success(SASLIdentity)
    case refused(SASLFailureCondition, SCRAMServerError?)
}

/// Runs both ends of an exchange until one of them ends it.
func run(
    _ client: inout any SASLClientMechanism, against server: inout any SASLServerMechanism
) throws -> Outcome {
    var message = try client.start()
    for _ in 0..<8 {
        switch server.messageReceived(message) {
        case .challenge(let challenge): message = try client.respond(to: challenge)
        case .success(let identity, let data):
            try client.succeed(with: data)
            return .success(identity)
        case .failure(let condition, let reason): return .refused(condition, reason)
        }
    }
    Issue.record("The exchange does not end.")
    return .refused(.aborted, nil)
}
