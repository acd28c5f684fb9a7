import Cryptography
import OMEMO
import OMEMOFixtures
import Testing

@Suite("The bytes of messages")
struct MessageCodecTests {
    private static let key = [UInt8](repeating: 0x42, count: 32)
    private static let block = [UInt8](repeating: 0x17, count: 16)
    private static let code = [UInt8](repeating: 0x99, count: 16)

    /// A field of bytes.
    private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [number << 3 | 2] + varint(UInt64(bytes.count)) + bytes
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f) | 0x80] + varint(value >> 7)
    }

    /// An OMEMOAuthenticatedMessage around the bytes of an OMEMOMessage.
    private static func authenticated(_ message: [UInt8]) -> [UInt8] { field(1, code) + field(2, message) }

    private func refusal(_ bytes: [UInt8], _ generation: OMEMOGeneration = .current) -> OMEMOError.Code? {
        do { _ = try RatchetMessage(bytes, generation: generation) } catch { return error.code }
        return nil
    }

    private func message(n: [UInt8] = [3], pn: [UInt8] = [4], extra: [UInt8] = []) -> [UInt8] {
        [8] + n + [16] + pn + Self.field(3, Self.key) + Self.field(4, Self.block) + extra
    }

    @Test("the current message is read and written as XEP-0384 §12 says")
    func current() throws {
        let bytes = Self.authenticated(message())
        let read = try RatchetMessage(bytes, generation: .current)
        #expect(read.counter == 3 && read.previousCount == 4)
        #expect(read.ratchetKey == Self.key && read.ciphertext == Self.block)
        #expect(read.bytes == bytes)
    }

    @Test("the legacy message has a version, fields and eight bytes of code")
    func legacy() throws {
        let bytes =
            [0x33] + Self.field(1, [5] + Self.key) + [16, 3, 24, 4] + Self.field(4, Self.block)
            + Self.code.prefix(8)
        let read = try RatchetMessage(bytes, generation: .legacy)
        #expect(read.counter == 3 && read.previousCount == 4)
        #expect(read.ratchetKey == Self.key && read.ciphertext == Self.block)
        #expect(read.bytes == bytes)
        var other = bytes
        other[0] = 0x22
        #expect(refusal(other, .legacy) == .unsupportedVersion(0x22))
        other[0] = 0x44
        #expect(refusal(other, .legacy) == .unsupportedVersion(0x44))
        other = bytes
        other[3] = 6
        #expect(refusal(other, .legacy) == .invalidKey, "The type of another curve.")
        #expect(refusal([0x33], .legacy) == .malformed)
        #expect(refusal([], .legacy) == .malformed)
    }

    @Test("unknown fields are skipped, and of two with one number the last counts")
    func unknown() throws {
        let fixed: [UInt8] = [0x39, 1, 2, 3, 4, 5, 6, 7, 8, 0x3d, 1, 2, 3, 4]
        let bytes = message(extra: Self.field(15, [1, 2]) + [0x30, 0xff, 0x01] + fixed + [8, 9])
        #expect(try RatchetMessage(Self.authenticated(bytes), generation: .current).counter == 9)
    }

    @Test("a counter that is negative, giant or not a number is refused")
    func counters() {
        let negative = Self.varint(UInt64(bitPattern: -1))
        #expect(negative.count == 10)
        #expect(refusal(Self.authenticated(message(n: negative))) == .counterOutOfRange)
        #expect(refusal(Self.authenticated(message(pn: negative))) == .counterOutOfRange)
        #expect(refusal(Self.authenticated(message(n: Self.varint(1 << 32)))) == .counterOutOfRange)
        #expect(refusal(Self.authenticated(message(n: Self.varint(UInt64(UInt32.max))))) == nil)
        let tooLong = [UInt8](repeating: 0xff, count: 10) + [1]
        #expect(refusal(Self.authenticated(message(n: tooLong))) == .malformed)
        let tooLarge = [UInt8](repeating: 0xff, count: 9) + [2]
        #expect(refusal(Self.authenticated(message(n: tooLarge))) == .malformed)
        #expect(refusal(Self.authenticated(Self.field(1, [3]) + message().dropFirst(2))) == .malformed)
    }

    @Test("missing fields and wrong lengths are refused")
    func missing() {
        #expect(refusal([]) == .malformed)
        #expect(refusal(Self.field(2, message())) == .malformed)
        #expect(refusal(Self.field(1, Self.code)) == .malformed)
        #expect(refusal(Self.field(1, Array(Self.code.dropLast())) + Self.field(2, message())) == .malformed)
        #expect(refusal(Self.authenticated([8, 3, 16, 4] + Self.field(3, Self.key))) == .malformed)
        #expect(refusal(Self.authenticated(message(extra: Self.field(4, [])))) == .malformed)
        #expect(refusal(Self.authenticated(message(extra: Self.field(4, [1, 2, 3])))) == .malformed)
        #expect(refusal(Self.authenticated(message(extra: Self.field(3, Self.key + [1])))) == .invalidKey)
        #expect(refusal([UInt8](repeating: 0, count: OMEMOLimits.recipientKeyBytes + 1)) == .malformed)
    }

    @Test(
        "a length beyond the end, a field 0 and groups are refused",
        arguments: [[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f], [0], [3], [4], [0x0b], [0x0f]] as [[UInt8]])
    func structure(bytes: [UInt8]) {
        #expect(refusal(bytes) == .malformed)
    }

    @Test(
        "a key exchange is read back as it was written, cut anywhere it is refused", arguments: OMEMOGeneration.allCases
    )
    func exchange(generation: OMEMOGeneration) throws {
        let alice = try Device("alice@example.org", id: 77)
        let bob = try Device("bob@example.org", id: 2)
        try alice.initiate(with: bob.bundle(generation))
        let bytes = try alice.encrypt([1, 2, 3]).bytes
        let exchange = try KeyExchangeMessage(bytes, generation: generation)
        #expect(exchange.bytes == bytes)
        #expect(exchange.signedPreKey == 7)
        #expect((101...125).contains(exchange.preKey))
        #expect(try exchange.identity(using: alice.cryptography) == alice.identity.publicKey)
        for length in 0..<bytes.count {
            #expect(throws: OMEMOError.self) {
                try KeyExchangeMessage(Array(bytes[..<length]), generation: generation)
            }
        }
    }

    @Test("a key exchange without a one-time key is refused", arguments: OMEMOGeneration.allCases)
    func withoutPreKey(generation: OMEMOGeneration) throws {
        let alice = try Device("alice@example.org", id: 77)
        let bob = try Device("bob@example.org", id: 2)
        try alice.initiate(with: bob.bundle(generation))
        var bytes = try alice.encrypt([1, 2, 3]).bytes
        // The field of the key's number becomes an unknown one. In the legacy message the device's number stands before.
        let place = generation == .legacy ? 3 : 0
        #expect(bytes[place] == 8)
        bytes[place] = 15 << 3
        var code: OMEMOError.Code?
        do { _ = try KeyExchangeMessage(bytes, generation: generation) } catch { code = error.code }
        #expect(code == .unknownPreKey)
    }

    @Test("a stored session is read back, and refused if it is cut, newer or changed in its structure")
    func stored() throws {
        let alice = try Device("alice@example.org", id: 1)
        let bob = try Device("bob@example.org", id: 2)
        try alice.initiate(with: bob.bundle(.current))
        let initiated = try #require(alice.stored)
        _ = try alice.encrypt([1])
        _ = try bob.decrypt(alice.encrypt([2]), .current)
        let established = try #require(bob.stored)
        for bytes in [initiated, established] {
            #expect(try OMEMOSession(serialized: bytes).serialized == bytes)
            for length in 0..<bytes.count {
                #expect(throws: OMEMOError(.damagedState), "\(length)") {
                    _ = try OMEMOSession(serialized: Array(bytes[..<length])).serialized
                }
            }
            #expect(throws: OMEMOError(.unknownFormat(2))) {
                _ = try OMEMOSession(serialized: [2] + bytes.dropFirst()).serialized
            }
        }
    }
}
