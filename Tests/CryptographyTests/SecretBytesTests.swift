import Cryptography
import Testing

@Suite("Random bytes, comparison, hexadecimal text")
struct SecretBytesTests {
    @Test("random bytes come in any number", arguments: [0, 1, 16, 33, 100_000])
    func count(count: Int) throws {
        #expect(try SecureRandom.bytes(count).count == count)
    }

    @Test("two draws differ")
    func draws() throws {
        #expect(try SecureRandom.bytes(32) != SecureRandom.bytes(32))
    }

    @Test("a number of bytes that is out of range is refused", arguments: [-1, Int.max])
    func refused(count: Int) {
        #expect(throws: CryptographyError.self) { try SecureRandom.bytes(count) }
    }

    @Test("equal bytes are equal, and one bit or one byte more is not")
    func comparison() {
        #expect(ConstantTime.areEqual([], []))
        #expect(ConstantTime.areEqual([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2, 2]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [0, 2, 3]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2]))
        #expect(!ConstantTime.areEqual([], [0]))
    }

    @Test("hexadecimal text is written in lower case and read in both")
    func hex() {
        let all = (0...255).map { UInt8($0) }
        #expect(Hex.encode([0x00, 0x9f, 0xf0, 0xa5]) == "009ff0a5")
        #expect(Hex.encode([]) == "")
        #expect(Hex.decode(Hex.encode(all)) == all)
        #expect(Hex.decode(Hex.encode(all).uppercased()) == all)
        #expect(Hex.decode("") == [])
    }

    @Test("what is not hexadecimal is refused", arguments: ["0", "0g", "xx", "00 0", "é0", "0x00", "-1"])
    func notHex(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}
