import Cryptography
import Testing

@Suite("Random bytes, comparison, hexadecimal text")
struct SecretBytesTests {
    @Test("random bytes are generated in any number", arguments: [0, 1, 16, 33, 100_000])
    func count(count: Int) throws {
        #expect(try SecureRandom.bytes(count).count == count)
    }

    @Test("two results differ")
    func draws() throws {
        #expect(try SecureRandom.bytes(32) != SecureRandom.bytes(32))
    }

    @Test("a number of bytes out of range is rejected", arguments: [-1, Int.max])
    func refused(count: Int) {
        #expect(throws: CryptographyError.self) { try SecureRandom.bytes(count) }
    }

    @Test("equal bytes are equal; a different bit or an additional byte makes them unequal")
    func comparison() {
        #expect(ConstantTime.areEqual([], []))
        #expect(ConstantTime.areEqual([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2, 2]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [0, 2, 3]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2]))
        #expect(!ConstantTime.areEqual([], [0]))
    }

    @Test("hexadecimal text is written in lower case and read in either case")
    func hex() {
        let all = (0...255).map { UInt8($0) }
        #expect(Hex.encode([0x00, 0x9f, 0xf0, 0xa5]) == "009ff0a5")
        #expect(Hex.encode([]) == "")
        #expect(Hex.decode(Hex.encode(all)) == all)
        #expect(Hex.decode(Hex.encode(all).uppercased()) == all)
        #expect(Hex.decode("") == [])
    }

    @Test("invalid hexadecimal text is rejected", arguments: ["0", "0g", "xx", "00 0", "é0", "0x00", "-1"])
    func notHex(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}
