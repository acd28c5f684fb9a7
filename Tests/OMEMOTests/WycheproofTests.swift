import Cryptography
import Foundation
import OMEMO
import Testing

/// The vectors of Wycheproof for the parameters that OMEMO uses; `Fixtures/wycheproof.py` makes the files.
@Suite("Wycheproof")
struct WycheproofTests {
    private struct Vector {
        let number: Substring
        let result: Substring
        let values: [[UInt8]]
    }

    private let cryptography: any OMEMOCryptography = OpenSSLCryptography()

    private func vectors(_ name: String) throws -> [Vector] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Fixtures/wycheproof/\(name).txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        try #require(lines.count > 20)
        return try lines.map { line in
            let words = line.split(separator: " ")
            return Vector(
                number: words[0], result: words[1],
                values: try words.dropFirst(2).map { $0 == "-" ? [] : try #require(Hex.decode(String($0))) })
        }
    }

    @Test("X25519; a shared secret of zeros is refused")
    func x25519() throws {
        for vector in try vectors("x25519") {
            let (secret, key, shared) = (vector.values[0], vector.values[1], vector.values[2])
            let expected = shared.allSatisfy { $0 == 0 } ? nil : shared
            #expect(cryptography.x25519(secret, with: key) == expected, "\(vector.number)")
        }
    }

    @Test("Ed25519")
    func ed25519() throws {
        for vector in try vectors("ed25519") {
            let isValid = cryptography.isEd25519Signature(vector.values[2], of: vector.values[1], by: vector.values[0])
            #expect(isValid == (vector.result == "valid"), "\(vector.number)")
        }
    }

    @Test("HMAC-SHA-256")
    func hmac() throws {
        for vector in try vectors("hmac") {
            let code = cryptography.hmac(vector.values[1], key: vector.values[0])
            #expect(cryptography.areEqual(code, vector.values[2]) == (vector.result == "valid"), "\(vector.number)")
        }
    }

    @Test("HKDF-SHA-256")
    func hkdf() throws {
        for vector in try vectors("hkdf") {
            let made = cryptography.hkdf(
                vector.values[0], salt: vector.values[1], info: vector.values[2], byteCount: vector.values[3].count)
            #expect(made == vector.values[3], "\(vector.number)")
        }
    }

    @Test("AES-256-CBC with PKCS #7")
    func cbc() throws {
        for vector in try vectors("cbc") {
            let (key, nonce, text, sealed) = (vector.values[0], vector.values[1], vector.values[2], vector.values[3])
            let opened = cryptography.cbcDecrypted(sealed, key: key, vector: nonce)
            #expect(opened == (vector.result == "valid" ? text : nil), "\(vector.number)")
            if vector.result == "valid" {
                #expect(cryptography.cbcEncrypted(text, key: key, vector: nonce) == sealed, "\(vector.number)")
            }
        }
    }

    @Test("AES-GCM")
    func gcm() throws {
        for vector in try vectors("gcm") {
            let (key, nonce, text) = (vector.values[0], vector.values[1], vector.values[2])
            let sealed = vector.values[3] + vector.values[4]
            let opened = cryptography.gcmOpened(sealed, key: key, nonce: nonce)
            #expect(opened == (vector.result == "valid" ? text : nil), "\(vector.number)")
            if vector.result == "valid" {
                #expect(cryptography.gcmSealed(text, key: key, nonce: nonce) == sealed, "\(vector.number)")
            }
        }
    }
}
