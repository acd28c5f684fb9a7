import Cryptography
import Testing

@Suite("HKDF, AES-CBC and AES-GCM")
struct CipherTests {
    struct Derivation: Sendable {
        let secret, salt, info: [UInt8]
        let output: String
    }

    /// RFC 5869 §A.1 to §A.3.
    static let derivations = [
        Derivation(
            secret: [UInt8](repeating: 0x0b, count: 22), salt: Array(0x00...0x0c), info: Array(0xf0...0xf9),
            output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
        Derivation(
            secret: Array(0x00...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff),
            output:
                "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da32"
                + "75600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"),
        Derivation(
            secret: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [],
            output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
    ]

    @Test("HKDF gives the values of RFC 5869", arguments: derivations)
    func derives(vector: Derivation) throws {
        let output = try HKDF.deriveKey(
            from: vector.secret, salt: vector.salt, info: vector.info, byteCount: vector.output.utf8.count / 2)
        #expect(Hex.encode(output) == vector.output)
    }

    @Test("HKDF refuses a length that it cannot derive", arguments: [-1, 255 * 32 + 1])
    func tooLong(count: Int) {
        #expect(throws: CryptographyError.self) {
            try HKDF.deriveKey(from: [1], salt: [], info: [], byteCount: count)
        }
    }

    static let plaintext =
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0d"
        + "e657ba637b391aafd255"

    /// Test cases 3 and 15 of the GCM specification.
    @Test(
        "GCM gives the values of its specification",
        arguments: [
            (
                "feffe9928665731c6d6a8f9467308308",
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b39"
                    + "6a0aac973d58e091473f59854d5c2af327cd64a62cf35abd2ba6fab4"
            ),
            (
                "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e63"
                    + "93ba7a0abcc9f662898015adb094dac5d93471bdec1a502270e3cc6c"
            ),
        ])
    func galoisCounter(key: String, sealed: String) throws {
        let key = try #require(Hex.decode(key))
        let nonce = try #require(Hex.decode("cafebabefacedbaddecaf888"))
        let plaintext = try #require(Hex.decode(Self.plaintext))
        let result = try #require(AESGCM.seal(plaintext, key: key, nonce: nonce))
        #expect(Hex.encode(result) == sealed)
        #expect(AESGCM.open(result, key: key, nonce: nonce) == plaintext)
        for index in result.indices {
            var changed = result
            changed[index] ^= 0x80
            #expect(AESGCM.open(changed, key: key, nonce: nonce) == nil)
        }
    }

    @Test("a file is encrypted in pieces of any size", arguments: [1, 15, 16, 17, 4096])
    func pieces(size: Int) throws {
        let (key, nonce) = (try SecureRandom.bytes(32), try SecureRandom.bytes(12))
        let file = try SecureRandom.bytes(10_000)
        let whole = try #require(AESGCM.seal(file, key: key, nonce: nonce))
        var encryption = try AESGCM.Encryption(key: key, nonce: nonce)
        var decryption = try AESGCM.Decryption(key: key, nonce: nonce)
        var encrypted: [UInt8] = []
        var decrypted: [UInt8] = []
        for start in stride(from: 0, to: file.count, by: size) {
            let piece = try encryption.update(Array(file[start..<min(start + size, file.count)]))
            encrypted += piece
            decrypted += try decryption.update(piece)
        }
        let tag = try encryption.finish()
        #expect(encrypted + tag == whole)
        #expect(decrypted == file)
        try decryption.finish(tag: tag)
    }

    @Test("a file whose tag is wrong is refused at its end")
    func wrongTag() throws {
        for tag in [[UInt8](repeating: 0, count: 16), [], [1, 2, 3]] {
            var decryption = try AESGCM.Decryption(key: [UInt8](repeating: 1, count: 32), nonce: [1, 2, 3])
            _ = try decryption.update([1, 2, 3])
            var code: CryptographyError.Code?
            do { try decryption.finish(tag: tag) } catch { code = error.code }
            #expect(code == .refused)
        }
    }

    @Test("keys and nonces of another length are refused")
    func lengths() {
        #expect(AESGCM.seal([], key: [1], nonce: [UInt8](repeating: 0, count: 12)) == nil)
        #expect(AESGCM.seal([], key: [UInt8](repeating: 0, count: 32), nonce: []) == nil)
        #expect(AESGCM.open([1, 2], key: [UInt8](repeating: 0, count: 32), nonce: [1]) == nil)
        #expect(AESCBC.encrypt([], key: [1], vector: [UInt8](repeating: 0, count: 16)) == nil)
        #expect(AESCBC.decrypt([], key: [UInt8](repeating: 0, count: 32), vector: []) == nil)
    }

    @Test("CBC decrypts in pieces of any length", arguments: [0, 1, 15, 16, 17, 1_000])
    func cbcPieces(count: Int) throws {
        let (key, vector) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 16))
        let text = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let encrypted = try #require(AESCBC.encrypt(text, key: key, vector: vector))
        for size in [1, 7, 16, 100] {
            var decryption = try AESCBC.Decryption(key: key, vector: vector)
            var result: [UInt8] = []
            for start in stride(from: 0, to: encrypted.count, by: size) {
                result += try decryption.update(Array(encrypted[start..<min(start + size, encrypted.count)]))
            }
            result += try decryption.finish()
            #expect(result == text)
        }
        #expect(throws: CryptographyError.self) {
            var short = try AESCBC.Decryption(key: key, vector: vector)
            _ = try short.update(Array(encrypted.dropLast()))
            _ = try short.finish()
        }
        #expect(throws: CryptographyError.self) { _ = try AESCBC.Decryption(key: [1], vector: vector) }
        #expect(throws: CryptographyError.self) { _ = try AESCBC.Decryption(key: key, vector: [1]) }
    }

    @Test("CBC gives the value of SP 800-38A §F.2.5, and pads")
    func chaining() throws {
        let key = try #require(Hex.decode("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
        let vector: [UInt8] = Array(0...15)
        let block = try #require(Hex.decode("6bc1bee22e409f96e93d7e117393172a"))
        let result = try #require(AESCBC.encrypt(block, key: key, vector: vector))
        #expect(Hex.encode(result.prefix(16)) == "f58c4c04d6e5f1ba779eabfb5f7bfbd6")
        #expect(result.count == 32)
        for length in 0...33 {
            let text = [UInt8](repeating: 7, count: length)
            let encrypted = try #require(AESCBC.encrypt(text, key: key, vector: vector))
            #expect(encrypted.count == (length / 16 + 1) * 16)
            #expect(AESCBC.decrypt(encrypted, key: key, vector: vector) == text)
        }
        #expect(AESCBC.decrypt(Array(result.prefix(16)), key: key, vector: vector) == nil, "The padding is missing.")
        #expect(AESCBC.decrypt(Array(result.prefix(17)), key: key, vector: vector) == nil)
        #expect(AESCBC.decrypt([], key: key, vector: vector) == nil)
    }

    @Test("erased bytes are zero")
    func erased() {
        var bytes: [UInt8] = [1, 2, 3]
        ConstantTime.erase(&bytes)
        #expect(bytes == [0, 0, 0])
        var nothing: [UInt8] = []
        ConstantTime.erase(&nothing)
        #expect(nothing.isEmpty)
    }
}
