import Cryptography
import Testing

@Suite("X25519 and Ed25519")
struct Curve25519Tests {
    struct Signature: Sendable {
        let seed: String
        let key: String
        let message: String
        let signature: String
    }

    /// RFC 8032 §7.1.
    static let signatures = [
        Signature(
            seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: "",
            signature:
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                + "d25bf5f0595bbe24655141438e7a100b"),
        Signature(
            seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: "72",
            signature:
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
                + "387b2eaeb4302aeeb00d291612bb0c00"),
        Signature(
            seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            key: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: "af82",
            signature:
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
                + "4a7c15e9716ed28dc027beceea1ec40a"),
    ]

    @Test("signatures are those of RFC 8032", arguments: signatures)
    func signs(vector: Signature) throws {
        let seed = try #require(Hex.decode(vector.seed))
        let message = try #require(Hex.decode(vector.message))
        let key = try #require(Ed25519.publicKey(of: seed))
        let signature = try #require(Ed25519.signature(of: message, seed: seed))
        #expect(Hex.encode(key) == vector.key)
        #expect(Hex.encode(signature) == vector.signature)
        #expect(Ed25519.isSignature(signature, of: message, by: key))
        #expect(!Ed25519.isSignature(signature, of: message + [0], by: key))
        for index in [0, 31, 32, 63] {
            var changed = signature
            changed[index] ^= 1
            #expect(!Ed25519.isSignature(changed, of: message, by: key))
        }
    }

    @Test("the shared secret is that of RFC 7748 §6.1")
    func agrees() throws {
        let alice = try #require(Hex.decode("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
        let bob = try #require(Hex.decode("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
        let aliceKey = try #require(X25519.publicKey(of: alice))
        let bobKey = try #require(X25519.publicKey(of: bob))
        #expect(Hex.encode(aliceKey) == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
        #expect(Hex.encode(bobKey) == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        let secret = try #require(X25519.sharedSecret(alice, with: bobKey))
        #expect(Hex.encode(secret) == "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        #expect(X25519.sharedSecret(bob, with: aliceKey) == secret)
    }

    @Test("a thousand agreements in a row end where RFC 7748 §5.2 says")
    func iterated() throws {
        var scalar = [UInt8](repeating: 0, count: 32)
        scalar[0] = 9
        var coordinate = scalar
        for round in 1...1000 {
            let result = try #require(X25519.sharedSecret(scalar, with: coordinate))
            (coordinate, scalar) = (scalar, result)
            if round == 1 {
                #expect(Hex.encode(scalar) == "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")
            }
        }
        #expect(Hex.encode(scalar) == "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")
    }

    @Test("a point of low order gives no secret", arguments: [0, 1])
    func lowOrder(first: UInt8) throws {
        var point = [UInt8](repeating: 0, count: 32)
        point[0] = first
        #expect(X25519.sharedSecret(try SecureRandom.bytes(32), with: point) == nil)
    }

    @Test("the two forms of a public key are converted into each other")
    func converts() throws {
        for _ in 0..<50 {
            let seed = try SecureRandom.bytes(32)
            let edwards = try #require(Ed25519.publicKey(of: seed))
            let privateKey = try #require(X25519.privateKey(ofEd25519Seed: seed))
            let montgomery = try #require(X25519.publicKey(of: privateKey))
            #expect(X25519.publicKey(ofEd25519: edwards) == montgomery)
            var withoutSign = edwards
            withoutSign[31] &= 0x7f
            #expect(Ed25519.publicKey(ofX25519: montgomery) == withoutSign)
        }
    }

    @Test("what is not a key is refused")
    func refused() {
        let ones = [UInt8](repeating: 0xff, count: 32)
        #expect(X25519.publicKey(of: [1, 2, 3]) == nil)
        #expect(Ed25519.publicKey(of: []) == nil)
        #expect(Ed25519.signature(of: [], seed: [1]) == nil)
        #expect(!Ed25519.isSignature([], of: [], by: ones))
        #expect(!Ed25519.isSignature([UInt8](repeating: 0, count: 64), of: [], by: [1]))
        #expect(X25519.publicKey(ofEd25519: ones) == nil)
        #expect(X25519.publicKey(ofEd25519: [1] + [UInt8](repeating: 0, count: 31)) == nil)
        #expect(X25519.publicKey(ofEd25519: []) == nil)
        #expect(Ed25519.publicKey(ofX25519: ones) == nil)
        #expect(X25519.privateKey(ofEd25519Seed: []) == nil)
    }
}
