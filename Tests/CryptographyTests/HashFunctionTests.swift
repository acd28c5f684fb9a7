import Cryptography
import Testing

@Suite("Hash functions")
struct HashFunctionTests {
    @Test(
        "give the values of FIPS 180-4 and FIPS 202 for \"abc\"",
        arguments: [
            (HashFunction.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha224, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
            ),
            (
                .sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (.sha3With256Bits, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
            (
                .sha3With512Bits,
                "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
                    + "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"
            ),
        ])
    func knownAnswers(function: HashFunction, value: String) {
        let digest = function.hash(Array("abc".utf8))
        #expect(Hex.encode(digest) == value)
        #expect(digest.count == function.byteCount)
    }

    @Test(
        "give the values of FIPS 180-4 for no bytes and for two blocks",
        arguments: [
            (HashFunction.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (
                .sha1, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (
                .sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func moreKnownAnswers(function: HashFunction, text: String, value: String) {
        #expect(Hex.encode(function.hash(Array(text.utf8))) == value)
    }

    @Test("the short names use their hash function")
    func shortNames() {
        let bytes = Array("abc".utf8)
        #expect(SHA1.hash(bytes) == HashFunction.sha1.hash(bytes))
        #expect(SHA256.hash(bytes) == HashFunction.sha256.hash(bytes))
        #expect(SHA512.hash(bytes) == HashFunction.sha512.hash(bytes))
    }

    @Test("a digest computed in pieces of any size equals the digest of the whole", arguments: HashFunction.allCases)
    func pieces(function: HashFunction) {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for size in [1, 7, 63, 64, 65, 999, 1000] {
            var digest = Digest(function)
            for start in stride(from: 0, to: bytes.count, by: size) {
                digest.update(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(digest.finish() == function.hash(bytes), "pieces of \(size)")
        }
    }

    @Test("a digest can be discarded unfinished, and nothing may be added")
    func dropped() {
        var digest = Digest(.sha256)
        digest.update([])
        digest.update(UnsafeRawBufferPointer(start: nil, count: 0))
        let value = digest.finish()
        #expect(value == SHA256.hash([]))
        _ = Digest(.sha512)
    }

    @Test("a million times \"a\" gives the value of FIPS 180-4")
    func million() {
        var digest = Digest(.sha1)
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 10_000)
        for _ in 0..<100 { digest.update(piece) }
        let value = digest.finish()
        #expect(Hex.encode(value) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
    }
}
