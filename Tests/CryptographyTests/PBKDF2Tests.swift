import Cryptography
import Testing

@Suite("PBKDF2")
struct PBKDF2Tests {
    struct Vector: Sendable {
        let password: String
        let salt: String
        let iterations: Int
        let key: String
    }

    /// RFC 6070 §2, without the vector of 16 777 216 iterations.
    static let vectors: [Vector] = [
        Vector(password: "password", salt: "salt", iterations: 1, key: "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        Vector(password: "password", salt: "salt", iterations: 2, key: "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        Vector(password: "password", salt: "salt", iterations: 4096, key: "4b007901b765489abead49d926f721d065a429c1"),
        Vector(
            password: "passwordPASSWORDpassword", salt: "saltSALTsaltSALTsaltSALTsaltSALTsalt", iterations: 4096,
            key: "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"),
        Vector(
            password: "pass\0word", salt: "sa\0lt", iterations: 4096, key: "56fa6aa75548099dcc37d7f03425e0c3"),
    ]

    @Test("gives the values of RFC 6070", arguments: vectors)
    func knownAnswers(vector: Vector) throws {
        let key = try PBKDF2.deriveKey(
            password: Array(vector.password.utf8), salt: Array(vector.salt.utf8), iterations: vector.iterations,
            byteCount: vector.key.utf8.count / 2, using: .sha1)
        #expect(Hex.encode(key) == vector.key)
    }

    @Test("gives the value of RFC 7914 §11 over SHA-256")
    func sha256() throws {
        let key = try PBKDF2.deriveKey(
            password: Array("passwd".utf8), salt: Array("salt".utf8), iterations: 1, byteCount: 64, using: .sha256)
        #expect(
            Hex.encode(key)
                == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783")
    }

    @Test("has the length of the hash value by default")
    func length() throws {
        let key = try PBKDF2.deriveKey(password: [1], salt: [2], iterations: 1, using: .sha512)
        #expect(key.count == 64)
    }

    @Test("accepts an empty password and an empty salt")
    func empty() throws {
        let key = try PBKDF2.deriveKey(password: [], salt: [], iterations: 1, using: .sha1)
        #expect(Hex.encode(key) == "1e437a1c79d75be61e91141dae20affc4892cc99")
    }

    @Test("rejects an iteration count out of range", arguments: [0, -1, Int.min, Int.max])
    func iterations(count: Int) {
        #expect(throws: CryptographyError.self) {
            try PBKDF2.deriveKey(password: [1], salt: [2], iterations: count, using: .sha1)
        }
    }

    @Test("rejects a length out of range", arguments: [0, -1, Int.max])
    func lengths(count: Int) {
        do throws(CryptographyError) {
            _ = try PBKDF2.deriveKey(password: [1], salt: [2], iterations: 1, byteCount: count, using: .sha1)
            Issue.record("A key of \(count) bytes was derived.")
        } catch {
            #expect(error.code == .invalidByteCount(count))
            #expect(error.description.contains("\(count)"))
        }
    }
}
