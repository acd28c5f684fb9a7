import Testing
import XMPPAddress

/// Reading in one pass must give the same result as preparing each part.
@Suite("JID: characters that preparation does not change")
struct UnchangedCharacterTests {
    private static func characters(_ range: ClosedRange<UInt32>) -> [String] {
        stride(from: range.lowerBound, through: range.upperBound, by: 200).map { first in
            (first...min(first + 199, range.upperBound)).reduce(into: "") { text, value in
                if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
            }
        }
    }

    @Test("ideographs in local and resource parts")
    func ideographs() throws {
        for text in Self.characters(0x4E00...0x9FA5) {
            let address = try JID("\(text)@example.org/\(text)")
            #expect(try address == JID(local: text, domain: "example.org", resource: text))
            #expect(address.local == text && address.resource == text)
        }
    }

    @Test("pictographs in resource parts but not in local parts")
    func pictographs() throws {
        for text in Self.characters(0x1F300...0x1F64F) {
            let address = try JID("example.org/\(text)")
            #expect(try address == JID(domain: "example.org", resource: text))
            #expect(address.resource == text)
            #expect(throws: AddressError.self) { try JID("\(text)@example.org") }
        }
    }

    @Test("other characters use the general path")
    func neighbours() throws {
        for value: UInt32 in [0x3FFF, 0x4DFF, 0x9FA6, 0xFA0E, 0x1F2FF, 0x1F650, 0xE000, 0xFFFD, 0x115F, 0x30FB] {
            let text = String(try #require(Unicode.Scalar(value)))
            let whole = try? JID("example.org/\(text)")
            #expect(whole == (try? JID(domain: "example.org", resource: text)))
            #expect((try? JID("王\(text)@example.org")) == (try? JID(local: "王" + text, domain: "example.org")))
        }
        #expect(try JID("王A@Example.org/A").description == "王a@example.org/A")
        let long = String(repeating: "王", count: 341)
        #expect(try JID("\(long)@example.org/\(long)").local == long)
        #expect(throws: AddressError.self) { try JID("\(long)王@example.org") }
        #expect(throws: AddressError.self) { try JID("example.org/\(long)王") }
    }

    @Test("truncated characters are rejected")
    func cutOff() {
        let text = Array("王@example.org/👵".utf8)
        for bytes in [
            Array(text.dropLast()), Array(text.dropLast(2)), [text[0]], Array(text[..<2]), [0xE4, 0x41, 0x40],
        ] {
            #expect(throws: AddressError.self) { try bytes.withUnsafeBufferPointer { try JID(utf8: $0) } }
        }
    }
}
