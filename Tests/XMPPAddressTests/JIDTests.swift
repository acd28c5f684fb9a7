import Testing
import XMPPAddress

@Suite("JID: parsing and parts")
struct JIDTests {
    @Test("S0-1: the domain is the only mandatory part")
    func domainOnly() throws {
        let address = try JID("example.com")
        #expect(address.local == nil)
        #expect(address.domain == "example.com")
        #expect(address.resource == nil)
        #expect(throws: AddressError(.domain, .empty)) { try JID("juliet@") }
        #expect(throws: AddressError(.domain, .empty)) { try JID("/balcony") }
        #expect(throws: AddressError(.whole, .empty)) { try JID("") }
    }

    @Test("S0-2: domain and local part fold case, resource does not")
    func caseFolding() throws {
        let address = try JID("Juliet@Capulet.EXAMPLE/Balcony")
        #expect(address.description == "juliet@capulet.example/Balcony")
        #expect(try address == JID("juliet@capulet.example/Balcony"))
        #expect(try address != JID("juliet@capulet.example/balcony"))
        #expect(try JID("JÜRGEN@BÜCHER.example/Ä").description == "jürgen@bücher.example/Ä")
    }

    @Test("S0-4: a bare address has no resource, a full one has")
    func bareAndFull() throws {
        let full = try JID("juliet@example.com/foo")
        #expect(!full.isBare)
        #expect(full.bare.isBare)
        #expect(full.bare.description == "juliet@example.com")
        #expect(try full.bare == JID("juliet@example.com"))
        #expect(try full.bare.hashValue == JID("juliet@example.com").hashValue)
        #expect(full.bare.resource == nil)
        #expect(full.bare.bare == full.bare)
        #expect(full.domainJID.description == "example.com")
        #expect(try full.domainJID == JID("example.com"))
        #expect(full.domainJID.local == nil)
        #expect(full.domainJID.domain == "example.com")
    }

    @Test("S0-5: rooms and occupants are addresses like any other")
    func rooms() throws {
        let room = try JID("coven@chat.shakespeare.example")
        let occupant = try room.with(resource: "Third Witch")
        #expect(occupant.description == "coven@chat.shakespeare.example/Third Witch")
        #expect(occupant.resource == "Third Witch")
        #expect(occupant.bare == room)
        #expect(try occupant.with(resource: nil) == room)
        #expect(try occupant.with(resource: "x").description == "coven@chat.shakespeare.example/x")
        #expect(try occupant.domainJID.with(resource: "x").description == "chat.shakespeare.example/x")
        #expect(throws: AddressError(.resource, .empty)) { try room.with(resource: "") }
    }

    @Test("S0-7, S1-13: an address is built from its parts or from a string, and gives its parts")
    func parts() throws {
        let built = try JID(local: "Juliet", domain: "Example.com", resource: "foo@bar/baz")
        #expect(try built == JID("juliet@example.com/foo@bar/baz"))
        #expect(built.local == "juliet")
        #expect(built.domain == "example.com")
        #expect(built.resource == "foo@bar/baz")
        #expect(try JID(domain: "example.com").isBare)
        #expect(throws: AddressError(.local, .empty)) { try JID(local: "", domain: "example.com") }
        #expect(throws: AddressError(.resource, .empty)) { try JID(domain: "example.com", resource: "") }
        #expect(throws: AddressError(.local, .disallowed("@"))) { try JID(local: "a@b", domain: "example.com") }
        #expect(throws: AddressError(.domain, .disallowed("/"))) { try JID(domain: "example.com/x") }
        #expect(throws: AddressError(.domain, .disallowed("@"))) { try JID(domain: "a@example.com") }
    }

    @Test("RFC 7622 §3.1: split at the first slash, then at the first at sign before it")
    func splitting() throws {
        // A parser that looks for "@" first takes this for the domain bank.example.
        let trap = try JID("evil.example/x@bank.example")
        #expect(trap.domain == "evil.example")
        #expect(trap.local == nil)
        #expect(trap.resource == "x@bank.example")
        #expect(throws: AddressError(.domain, .disallowed("@"))) { try JID("a@b@example.com") }
        #expect(throws: AddressError(.domain, .empty)) { try JID("juliet@/balcony") }
    }

    @Test("A part that is not valid is an error, never dropped")
    func nothingIsDropped() {
        #expect(throws: AddressError(.local, .disallowed(" "))) { try JID("a b@example.com") }
        #expect(throws: AddressError(.resource, .disallowed("\u{7}"))) { try JID("a@example.com/\u{7}") }
        #expect(throws: AddressError(.resource, .empty)) { try JID("a@example.com/") }
        #expect(throws: AddressError(.local, .empty)) { try JID("@example.com") }
        // After width mapping these are separators, which must not slip through.
        #expect(throws: AddressError(.local, .disallowed("@"))) { try JID("a\u{FF20}b@example.com") }
        #expect(throws: AddressError(.domain, .disallowed("/"))) { try JID("a.example\u{FF0F}b") }
    }

    @Test("RFC 7622 §3.1: a part has 1 to 1023 octets", arguments: [1023, 1024, 4092, 4093, 100_000])
    func length(octets: Int) throws {
        let part = String(repeating: "a", count: octets)
        let label = String(repeating: "a", count: 63)
        let labels = repeatElement(label, count: octets / 64 + 1).joined(separator: ".")
        let domain = String(("b." + labels).prefix(octets))
        if octets == 1023 {
            #expect(try JID(part + "@example.com").local?.utf8.count == 1023)
            #expect(try JID("example.com/" + part).resource?.utf8.count == 1023)
            #expect(try JID(domain).domain.utf8.count == 1023)
            let longest = try JID(local: part, domain: domain, resource: part)
            #expect(longest.description.utf8.count == 3 * 1023 + 2)
            #expect(longest.resource == part)
        } else {
            #expect(throws: AddressError(.local, .tooLong(octets: octets))) { try JID(part + "@example.com") }
            #expect(throws: AddressError(.resource, .tooLong(octets: octets))) { try JID("example.com/" + part) }
            #expect(throws: AddressError.self) { try JID(domain) }
        }
    }

    @Test("The length counts after preparation: 400 fullwidth letters are 400 octets")
    func lengthAfterPreparation() throws {
        let wide = String(repeating: "\u{FF21}", count: 400)
        #expect(try JID(wide + "@example.com").local == String(repeating: "a", count: 400))
    }

    @Test("Octets that are not UTF-8 are an error")
    func invalidUTF8() {
        for octets: [UInt8] in [[0xFF], [0x61, 0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] {
            #expect(throws: AddressError(.whole, .invalidUTF8)) {
                try octets.withUnsafeBufferPointer { try JID(utf8: $0) }
            }
        }
    }

    @Test(
        "Octets and string give the same address",
        arguments: ["juliet@example.com/foo", "A@B/C", "fußball@example.com", "a@bücher.example/♚", "[::1]"])
    func octets(string: String) throws {
        let address = try Array(string.utf8).withUnsafeBufferPointer { try JID(utf8: $0) }
        #expect(try address == JID(string))
        #expect(address.withUTF8 { String(decoding: $0, as: UTF8.self) } == address.description)
    }

    @Test("Sorted by domain, then local part, then resource")
    func order() throws {
        let sorted = [
            "a.example", "a.example/x", "a@a.example", "a@a.example/A", "a@a.example/a", "a1@a.example", "ab@a.example",
            "ü@a.example", "a@b.example",
        ]
        let addresses = try sorted.map { try JID($0) }
        #expect(addresses.reversed().sorted().map(\.description) == sorted)
        #expect(!(addresses[0] < addresses[0]))
    }

    @Test("An error says part and reason in words and does not repeat the address")
    func sentences() {
        #expect(
            AddressError(.local, .disallowed("@")).message
                == "The local part of the address contains U+0040, which is not allowed there.")
        #expect(AddressError(.whole, .empty).description == "The address is empty.")
        #expect(
            AddressError(.resource, .tooLong(octets: 2000)).message
                == "The resource part of the address has 2000 octets, more than the 1023 allowed.")
    }
}
