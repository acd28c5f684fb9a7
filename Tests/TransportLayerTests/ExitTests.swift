import COpenSSL
import Cryptography
import Glibc
import Testing

@testable import TransportLayer

/// What a process does first with OpenSSL.
enum FirstUse: String, CaseIterable, Codable, Sendable {
    case connection, random, hash, cipher, key, fingerprint

    func begin() throws {
        let zeros = [UInt8](repeating: 0, count: 32)
        switch self {
        case .connection:
            _ = EventLoop()
            _ = try TLSContext.client()
        case .random: _ = try SecureRandom.bytes(1)
        case .hash: _ = SHA256.hash([])
        case .cipher: _ = AESGCM.seal([], key: zeros, nonce: [UInt8](repeating: 0, count: 12))
        case .key: _ = X25519.publicKey(of: zeros)
        case .fingerprint: _ = X25519.publicKey(ofEd25519: zeros)
        }
    }
}

/// The end of a process, in a process of its own.
@Suite("Exit", .timeLimit(.minutes(20)))
struct ExitTests {
    @Test("OpenSSL frees nothing at the end, when threads may still use it", arguments: FirstUse.allCases)
    func exit(_ first: FirstUse) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [first] in
            try first.begin()
            OPENSSL_atexit { _ = write(STDOUT_FILENO, "freed", 5) }
            Glibc.exit(EXIT_SUCCESS)
        }
        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        #expect(!output.contains("freed"))
    }
}
