import Testing
import XMPPAddress

@Suite("XEP-0106: JID escaping")
struct JIDEscapingTests {
    @Test(
        "XEP-0106 §5: the examples are escaped and unescaped",
        arguments: [
            ("space cadet", #"space\20cadet"#),
            (#"call me "ishmael""#, #"call\20me\20\22ishmael\22"#),
            ("at&t guy", #"at\26t\20guy"#),
            ("d'artagnan", #"d\27artagnan"#),
            ("/.fanboy", #"\2f.fanboy"#),
            ("::foo::", #"\3a\3afoo\3a\3a"#),
            ("<foo>", #"\3cfoo\3e"#),
            ("user@host", #"user\40host"#),
            (#"c:\net"#, #"c\3a\net"#),
            (#"c:\\net"#, #"c\3a\\net"#),
            (#"c:\cool stuff"#, #"c\3a\cool\20stuff"#),
            (#"c:\5commas"#, #"c\3a\5c5commas"#),
            (#"\3and\2is\5cool"#, #"\5c3and\2is\5c5cool"#),
            ("here's_a_wild_&_/cr%zy/_address", #"here\27s_a_wild_\26_\2fcr%zy\2f_address"#),
            (#"\2plus\2is\4"#, #"\2plus\2is\4"#),
            (#"foo\bar"#, #"foo\bar"#),
            (#"foob\41r"#, #"foob\41r"#),
            ("\\", "\\"),
            ("", ""),
            ("tr\u{E9}ville@musketeers.lit", #"tréville\40musketeers.lit"#),
        ])
    func examples(text: String, escaped: String) throws {
        #expect(try JIDEscaping.escape(text) == escaped)
        #expect(JIDEscaping.unescape(escaped) == text)
    }

    @Test("§4.1 item 6: no space at either end", arguments: [" a", "a ", " ", "  "])
    func edges(text: String) {
        #expect(throws: AddressError(.local, .spaceAtEnd)) { try JIDEscaping.escape(text) }
    }

    @Test("§4.1 item 6: an escaped space at an end remains text", arguments: [#"\20a"#, #"a\20"#, #"\20"#])
    func escapedEdges(text: String) {
        #expect(JIDEscaping.unescape(text) == text)
    }

    @Test("§3.1: escapes are case-sensitive, so upper-case digits are no escape")
    func capitals() {
        #expect(JIDEscaping.unescape(#"a\2Fb\3Ac"#) == #"a\2Fb\3Ac"#)
    }

    @Test("An address is built from typed text and displayed in the same way")
    func address() throws {
        let address = try JID(escapingLocal: "d'artagnan", domain: "musketeers.lit", resource: "gate")
        #expect(address.description == #"d\27artagnan@musketeers.lit/gate"#)
        #expect(address.unescapedLocal == "d'artagnan")
        #expect(try JID("musketeers.lit").unescapedLocal == nil)
    }
}
