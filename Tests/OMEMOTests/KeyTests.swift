import Cryptography
import OMEMO
import OMEMOFixtures
import Testing

@Suite("Keys and device ids")
struct KeyTests {
    private let cryptography = OpenSSLCryptography()

    @Test("an identity has the sign bit 0, and both generations see one key")
    func identity() throws {
        for _ in 0..<20 {
            let pair = try IdentityKeyPair.random(using: cryptography)
            let key = pair.publicKey
            #expect(key.ed25519[31] & 0x80 == 0)
            #expect(try IdentityKey(x25519: key.x25519, using: cryptography) == key)
            #expect(try IdentityKey(ed25519: key.ed25519, using: cryptography) == key)
            #expect(try IdentityKeyPair(seed: pair.seed, using: cryptography).publicKey == key)
            #expect(key.fingerprint.utf8.count == 64)
            #expect(key.fingerprintGroups.joined() == key.fingerprint)
            #expect(key.fingerprintGroups.allSatisfy { $0.utf8.count == 8 })
        }
    }

    @Test("a seed whose key has the sign bit 1 is refused")
    func sign() throws {
        var refused = 0
        for _ in 0..<64 {
            let seed = SecretBytes(try SecureRandom.bytes(32))
            let key = try #require(Ed25519.publicKey(of: seed.bytes))
            let pair = try? IdentityKeyPair(seed: seed, using: cryptography)
            #expect((pair == nil) == (key[31] & 0x80 != 0))
            refused += pair == nil ? 1 : 0
        }
        #expect(refused > 0)
        #expect(throws: OMEMOError(.invalidKey)) { try IdentityKeyPair(seed: SecretBytes([1]), using: cryptography) }
    }

    @Test("a signature is valid for its message, its key and its generation", arguments: OMEMOGeneration.allCases)
    func signature(generation: OMEMOGeneration) throws {
        let pair = try IdentityKeyPair.random(using: cryptography)
        let other = try IdentityKeyPair.random(using: cryptography)
        let signature = try pair.signature(of: [1, 2], using: cryptography)
        func isValid(_ signature: [UInt8], _ message: [UInt8], _ key: IdentityKeyPair) -> Bool {
            key.publicKey.isSignature(signature, of: message, generation: generation, using: cryptography)
        }
        #expect(isValid(signature, [1, 2], pair))
        #expect(!isValid(signature, [1], pair))
        #expect(!isValid(signature, [1, 2], other))
        #expect(!isValid(Array(signature.dropLast()), [1, 2], pair))
        var changed = signature
        changed[63] ^= 0x80
        #expect(!isValid(changed, [1, 2], pair), "The other sign.")
    }

    @Test("what is not a public key is refused")
    func invalid() {
        let ones = [UInt8](repeating: 0xff, count: 32)
        for key in [[], [1], ones] {
            #expect(throws: OMEMOError(.invalidKey)) { try IdentityKey(ed25519: key, using: cryptography) }
            #expect(throws: OMEMOError(.invalidKey)) { try IdentityKey(x25519: key, using: cryptography) }
        }
        #expect(throws: OMEMOError(.invalidKey)) {
            try PreKeyPair(id: 1, privateKey: SecretBytes([1, 2, 3]), using: cryptography)
        }
    }

    @Test("secret bytes are not described")
    func secret() throws {
        let secret = SecretBytes([0xab, 0xcd])
        #expect("\(secret)" == "2 secret bytes")
        var text = ""
        dump(secret, to: &text)
        dump(try IdentityKeyPair.random(using: cryptography).seed, to: &text)
        #expect(!text.contains("171"))
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test("ids of one-time keys follow each other and begin again")
    func preKeys() throws {
        #expect(try PreKeyPair.random(count: 3, after: 0, using: cryptography).map(\.id) == [1, 2, 3])
        #expect(try PreKeyPair.random(count: 3, after: 0xff_fffe, using: cryptography).map(\.id) == [0xff_ffff, 1, 2])
        #expect(try PreKeyPair.random(count: 1, after: .max, using: cryptography).map(\.id) == [1])
    }

    @Test("a signed key is due after a week, or when the clock went back")
    func rotation() throws {
        let key = SignedPreKeyPair(try .random(id: 1, using: cryptography), created: 1_000_000)
        #expect(!key.isDue(now: 1_000_000))
        #expect(!key.isDue(now: 1_000_000 + OMEMOLimits.signedPreKeyLifetime - 1))
        #expect(key.isDue(now: 1_000_000 + OMEMOLimits.signedPreKeyLifetime))
        #expect(key.isDue(now: 999_999))
        #expect(key.isDue(now: .min) && key.isDue(now: .max))
    }

    @Test("a device id is between 1 and 2147483647")
    func devices() throws {
        #expect(OMEMODevice(0) == nil)
        #expect(OMEMODevice(1)?.description == "1")
        #expect(OMEMODevice(0x7fff_ffff)?.description == "2147483647")
        #expect(OMEMODevice(0x8000_0000) == nil)
        for text in ["0", "-1", "2147483648", "99999999999999999999", "", "x", "1.0", " 1"] {
            #expect(OMEMODevice(text) == nil, "\(text)")
        }
        var taken: Set<OMEMODevice> = []
        for _ in 0..<200 {
            let device = try OMEMODevice.random(except: taken, using: cryptography)
            #expect(taken.insert(device).inserted)
        }
        #expect(taken.contains { $0.number > 0x4000_0000 } && taken.contains { $0.number < 0x4000_0000 })
    }

    @Test("a taken device id is drawn again")
    func taken() throws {
        let device = try OMEMODevice.random(using: SeededCryptography(seed: 3))
        let other = try OMEMODevice.random(except: [device], using: SeededCryptography(seed: 3))
        #expect(other != device)
    }
}
