import Testing
import XMPPAddress

/// The tables of RFC 7622 §3.5, and more cases of its profiles.
@Suite("JID: RFC 7622 fixtures")
struct RFC7622Tests {
    struct Valid: Sendable, CustomTestStringConvertible {
        var text: String
        var local: String?
        var domain: String
        var resource: String?

        init(_ text: String, _ local: String?, _ domain: String, _ resource: String? = nil) {
            (self.text, self.local, self.domain, self.resource) = (text, local, domain, resource)
        }

        var testDescription: String { text }
    }

    static let table1: [Valid] = [
        Valid("juliet@example.com", "juliet", "example.com"),
        Valid("juliet@example.com/foo", "juliet", "example.com", "foo"),
        Valid("juliet@example.com/foo bar", "juliet", "example.com", "foo bar"),
        Valid("juliet@example.com/foo@bar", "juliet", "example.com", "foo@bar"),
        Valid(#"foo\20bar@example.com"#, #"foo\20bar"#, "example.com"),
        Valid("fussball@example.com", "fussball", "example.com"),
        Valid("fu\u{DF}ball@example.com", "fu\u{DF}ball", "example.com"),
        Valid("\u{3C0}@example.com", "\u{3C0}", "example.com"),
        Valid("\u{3A3}@example.com/foo", "\u{3C3}", "example.com", "foo"),
        Valid("\u{3C3}@example.com/foo", "\u{3C3}", "example.com", "foo"),
        Valid("\u{3C2}@example.com/foo", "\u{3C2}", "example.com", "foo"),
        Valid("king@example.com/\u{265A}", "king", "example.com", "\u{265A}"),
        Valid("example.com", nil, "example.com"),
        Valid("example.com/foobar", nil, "example.com", "foobar"),
        Valid("a.example.com/b@example.net", nil, "a.example.com", "b@example.net"),
    ]

    @Test("S0-1: RFC 7622 table 1, valid addresses", arguments: table1)
    func valid(fixture: Valid) throws {
        let address = try JID(fixture.text)
        #expect(address.local == fixture.local)
        #expect(address.domain == fixture.domain)
        #expect(address.resource == fixture.resource)
        #expect(try JID(address.description) == address)
        #expect(try JID(local: fixture.local, domain: fixture.domain, resource: fixture.resource) == address)
    }

    @Test(
        "RFC 7622 table 2, violations",
        arguments: [
            ("\"juliet\"@example.com", AddressError(.local, .disallowed("\""))),
            ("foo bar@example.com", AddressError(.local, .disallowed(" "))),
            ("@example.com/", AddressError(.local, .empty)),
            ("example.com/", AddressError(.resource, .empty)),
            ("henry\u{2163}@example.com", AddressError(.local, .disallowed("\u{2163}"))),
            ("\u{265A}@example.com", AddressError(.local, .disallowed("\u{265A}"))),
            ("juliet@", AddressError(.domain, .empty)),
            ("/foobar", AddressError(.domain, .empty)),
        ])
    func violation(text: String, error: AddressError) {
        #expect(throws: error) { try JID(text) }
    }

    @Test("§3.4.1, erratum 4560: a space at either end of a resource is allowed and preserved")
    func spacesInResources() throws {
        #expect(try JID("a@example.com/ foo ").resource == " foo ")
        #expect(try JID("a@example.com/a\u{A0}b\u{3000}c\u{2003}d").resource == "a b c d")
    }

    @Test("§3.3.1: the local part excludes the separators of an address", arguments: Array("\"&'/:<>@"))
    func excluded(character: Character) throws {
        #expect(throws: AddressError.self) { try JID(local: "a\(character)b", domain: "example.com") }
        let scalar = try #require(character.unicodeScalars.first)
        let wide = try #require(Unicode.Scalar(scalar.value + 0xFEE0))
        #expect(throws: AddressError.self) { try JID(local: "a" + String(wide) + "b", domain: "example.com") }
    }

    @Test(
        "RFC 8265 §3.3: width and case of local parts are mapped, and characters composed",
        arguments: [
            ("\u{FF2A}\u{FF35}\u{FF2C}\u{FF29}\u{FF25}\u{FF34}", "juliet"),
            ("\u{FF76}\u{FF9E}", "\u{30AC}"),
            ("E\u{301}", "\u{E9}"),
            ("\u{C5}", "\u{E5}"),
            ("\u{1E9E}", "\u{DF}"),
            ("\u{130}", "i\u{307}"),
            ("\u{10400}", "\u{10428}"),
            ("\u{5D0}1", "\u{5D0}1"),
            ("a\u{30FB}\u{30A2}", "a\u{30FB}\u{30A2}"),
            ("l\u{B7}l", "l\u{B7}l"),
        ])
    func localMapping(text: String, local: String) throws {
        let address = try JID(local: text, domain: "example.com")
        #expect(address.local.map { Array($0.utf8) } == Array(local.utf8))
    }

    @Test(
        "RFC 8264 §4.2: characters that IdentifierClass disallows in a local part",
        arguments: [
            ("a\u{200D}b", AddressError.Reason.outOfContext("\u{200D}")),
            ("a\u{B7}b", .outOfContext("\u{B7}")),
            ("a\u{375}", .outOfContext("\u{375}")),
            ("\u{660}\u{6F0}", .outOfContext("\u{660}")),
            ("\u{640}", .disallowed("\u{640}")),
            ("\u{1100}\u{1161}", .disallowed("\u{1100}")),
            ("a\u{AD}b", .disallowed("\u{AD}")),
            ("\u{FB01}", .disallowed("\u{FB01}")),
            ("\u{212A}", .disallowed("\u{212A}")),
            ("\u{17F}", .disallowed("\u{17F}")),
            ("a\u{A0}b", .disallowed("\u{A0}")),
            ("\u{1F600}", .disallowed("\u{1F600}")),
            ("\u{E000}", .disallowed("\u{E000}")),
            ("\u{378}", .disallowed("\u{378}")),
            ("\u{7F}", .disallowed("\u{7F}")),
            ("1\u{5D0}", .mixedDirection),
            ("a\u{5D0}", .mixedDirection),
            ("\u{5D0}a", .mixedDirection),
            ("\u{627}1\u{661}", .mixedDirection),
        ])
    func localRefusals(text: String, reason: AddressError.Reason) {
        #expect(throws: AddressError(.local, reason)) { try JID(local: text, domain: "example.com") }
    }

    @Test(
        "RFC 8264 §4.3: FreeformClass allows symbols and disallows controls",
        arguments: [
            ("\u{1F37A}", nil), ("\u{FB01}", nil), ("\u{2163}", nil), ("\u{5D0}a", nil), ("\u{301}", nil),
            ("\u{61C}x", AddressError.Reason.disallowed("\u{61C}")),
            ("\u{0}", .disallowed("\u{0}")),
            ("a\u{200B}", .disallowed("\u{200B}")),
            ("\u{202E}", .disallowed("\u{202E}")),
            ("\u{2028}", .disallowed("\u{2028}")),
            ("\u{FEFF}", .disallowed("\u{FEFF}")),
            ("\u{FFFE}", .disallowed("\u{FFFE}")),
            ("a\u{200D}b", .outOfContext("\u{200D}")),
            ("a\u{387}b", .outOfContext("\u{B7}")),
        ] as [(String, AddressError.Reason?)])
    func freeform(text: String, reason: AddressError.Reason?) throws {
        if let reason {
            #expect(throws: AddressError(.resource, reason)) { try JID(domain: "example.com", resource: text) }
        } else {
            #expect(try JID(domain: "example.com", resource: text).resource == text)
        }
    }
}
