import Foundation
import Testing
import XMPPAddress

@Suite("JID: dictionary key and coding")
struct JIDCodableTests {
    @Test("S3-4: an address is an immutable value, a dictionary key, and codable as one string")
    func codable() throws {
        let address = try JID("Juliet@example.com/balcony")
        let data = try JSONEncoder().encode([address, address.bare])
        #expect(try JSONDecoder().decode([JID].self, from: data) == [address, address.bare])
        #expect(try JSONDecoder().decode([String].self, from: data) == [address.description, address.bare.description])
        let table = [address: 1, address.bare: 2]
        #expect(try table[JID("juliet@EXAMPLE.com/balcony")] == 1)
        #expect(try table[JID("juliet@example.com")] == 2)
    }

    @Test("A stored string that is not an address is a decoding error")
    func invalid() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([JID].self, from: Data(#"["a b@example.com"]"#.utf8))
        }
    }
}
