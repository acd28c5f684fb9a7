import Cryptography
import Testing

@Suite("HMAC")
struct HMACTests {
    struct Vector: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let sha256: String
        let sha512: String
    }

    /// RFC 4231 §4.2 to §4.4, §4.7, §4.8.
    static let vectors: [Vector] = [
        Vector(
            key: [UInt8](repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
            sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            sha512: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
        Vector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            sha512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
        Vector(
            key: [UInt8](repeating: 0xaa, count: 20), message: [UInt8](repeating: 0xdd, count: 50),
            sha256: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            sha512: "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
                + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"),
        Vector(
            key: [UInt8](repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            sha512: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"),
    ]

    @Test("gives the values of RFC 4231", arguments: vectors)
    func knownAnswers(vector: Vector) {
        let sha256 = HMAC.authenticationCode(for: vector.message, key: vector.key, using: .sha256)
        let sha512 = HMAC.authenticationCode(for: vector.message, key: vector.key, using: .sha512)
        #expect(Hex.encode(sha256) == vector.sha256)
        #expect(Hex.encode(sha512) == vector.sha512)
    }

    @Test("gives the values of RFC 2202 over SHA-1")
    func sha1() {
        let code = HMAC.authenticationCode(
            for: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8), using: .sha1)
        #expect(Hex.encode(code) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
    }

    @Test("accepts an empty key and an empty message")
    func empty() {
        let code = HMAC.authenticationCode(for: [], key: [], using: .sha256)
        #expect(Hex.encode(code) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        let again = HMAC.authenticationCode(for: [], key: [], using: .sha256)
        #expect(again == code)
    }
}
