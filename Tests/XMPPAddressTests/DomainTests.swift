import Testing
import XMPPAddress

@Suite("JID: domain parts")
struct DomainTests {
    @Test(
        "S0-3: an internationalised domain is canonical in Unicode and resolved in ASCII",
        arguments: [
            ("example.com", "example.com", "example.com"),
            ("b\u{FC}cher.example", "b\u{FC}cher.example", "xn--bcher-kva.example"),
            ("XN--BCHER-KVA.Example", "b\u{FC}cher.example", "xn--bcher-kva.example"),
            ("BU\u{308}CHER.example", "b\u{FC}cher.example", "xn--bcher-kva.example"),
            ("fa\u{DF}.de", "fa\u{DF}.de", "xn--fa-hia.de"),
            ("\u{3B2}\u{3CC}\u{3BB}\u{3BF}\u{3C2}.com", "\u{3B2}\u{3CC}\u{3BB}\u{3BF}\u{3C2}.com", "xn--nxasmm1c.com"),
            ("\u{4F8B}\u{3048}\u{3002}\u{30C6}\u{30B9}\u{30C8}", "例え.テスト", "xn--r8jz45g.xn--zckzah"),
            ("\u{FF45}\u{FF58}\u{FF0E}\u{FF43}\u{FF4F}\u{FF4D}", "ex.com", "ex.com"),
            (
                "\u{645}\u{62B}\u{627}\u{644}.\u{625}\u{62E}\u{62A}\u{628}\u{627}\u{631}",
                "\u{645}\u{62B}\u{627}\u{644}.\u{625}\u{62E}\u{62A}\u{628}\u{627}\u{631}",
                "xn--mgbh0fb.xn--kgbechtv"
            ),
            ("\u{5E9}\u{5DC}\u{5D5}\u{5DD}.example", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}.example", "xn--9dbne9b.example"),
            ("\u{915}\u{94D}\u{200D}\u{937}.example", "\u{915}\u{94D}\u{200D}\u{937}.example", nil),
            ("\u{646}\u{627}\u{645}\u{647}\u{200C}\u{627}\u{6CC}.com", "نامه\u{200C}ای.com", "xn--mgba3gch31f060k.com"),
            ("\u{13EB}.example", "\u{13EB}.example", "xn--bce.example"),
            ("server", "server", "server"),
            ("1.example", "1.example", "1.example"),
            ("example.com.", "example.com", "example.com"),
        ] as [(String, String, String?)])
    func names(text: String, domain: String, ascii: String?) throws {
        let address = try JID(text)
        #expect(Array(address.domain.utf8) == Array(domain.utf8))
        if let ascii { #expect(address.asciiDomain == ascii) }
        #expect(try JID(address.asciiDomain) == address)
        #expect(address.domainKind == .name)
        #expect(try JID("a@" + text + "/b").asciiDomain == address.asciiDomain)
    }

    @Test(
        "Names that IDNA2008 rejects",
        arguments: [
            ("a..b", AddressError.Reason.emptyLabel),
            (".a", .emptyLabel),
            ("a.b..", .emptyLabel),
            (".", .empty),
            ("-a.example", .misplacedHyphen),
            ("a-.example", .misplacedHyphen),
            ("ab--c.example", .misplacedHyphen),
            ("\u{E9}b--c.example", .misplacedHyphen),
            ("a_b.example", .disallowed("_")),
            ("a b.example", .disallowed(" ")),
            ("a:5222", .disallowed(":")),
            ("a\u{0}.example", .disallowed("\u{0}")),
            ("\u{2665}.example", .disallowed("\u{2665}")),
            ("\u{FB01}.example", .disallowed("\u{FB01}")),
            ("a\u{AD}b.example", .disallowed("\u{AD}")),
            ("\u{301}a.example", .leadingMark("\u{301}")),
            ("a\u{200D}b.example", .outOfContext("\u{200D}")),
            ("a\u{B7}b.example", .outOfContext("\u{B7}")),
            ("\u{30FB}.example", .outOfContext("\u{30FB}")),
            ("a\u{5D0}.example", .mixedDirection),
            ("\u{5D0}.1a", .mixedDirection),
            ("\u{ABBB}.example", .disallowed("\u{ABBB}")),
            ("xn--.example", .invalidALabel),
            ("xn--abc.example", .disallowed("\u{82}")),
            ("xn--a-ecp.ru", .disallowed("\u{2488}")),
            ("xn--abc-.example", .invalidALabel),
            ("xn--99999999.example", .invalidALabel),
            ("xn--bcher-kv\u{E9}.example", .misplacedHyphen),
        ])
    func refusals(text: String, reason: AddressError.Reason) {
        #expect(throws: AddressError(.domain, reason)) { try JID(text) }
    }

    @Test("RFC 1034 §3.1: a label has at most 63 octets, in its ASCII form")
    func labelLength() throws {
        let label = String(repeating: "a", count: 63)
        #expect(try JID(label + ".example").domain == label + ".example")
        #expect(throws: AddressError(.domain, .labelTooLong(octets: 64))) { try JID(label + "a.example") }
        let umlauts = String(repeating: "\u{FC}", count: 55)
        #expect(try JID(umlauts + ".example").asciiDomain.utf8.count <= 63 + 8)
        #expect(throws: AddressError.self) { try JID(String(repeating: "\u{FC}", count: 63) + ".example") }
    }

    @Test("S0-3: an IPv4 address is a domain part", arguments: ["192.168.1.1", "0.0.0.0", "255.255.255.255"])
    func ipv4(text: String) throws {
        let address = try JID("user@" + text)
        #expect(address.domain == text)
        #expect(address.asciiDomain == text)
        #expect(address.domainKind == .ipv4Address)
    }

    @Test("Four numbers must be a valid IPv4 address", arguments: ["256.1.1.1", "01.2.3.4", "1.2.3.1000"])
    func invalidIPv4(text: String) {
        #expect(throws: AddressError(.domain, .invalidIPv4Address)) { try JID(text) }
    }

    @Test(
        "S0-3, RFC 5952 §4: an IPv6 address in brackets has one spelling",
        arguments: [
            ("[::1]", "::1"),
            ("[::]", "::"),
            ("[2001:638:a000:4134::ffff:40]", "2001:638:a000:4134::ffff:40"),
            ("[2001:DB8:0:0:1:0:0:1]", "2001:db8::1:0:0:1"),
            ("[2001:0db8:0000:0001:0001:0001:0001:0001]", "2001:db8:0:1:1:1:1:1"),
            ("[1:2:3:4:5:6:7::]", "1:2:3:4:5:6:7:0"),
            ("[1:2:3:4:5:6::]", "1:2:3:4:5:6::"),
            ("[::ffff:192.0.2.1]", "::ffff:c000:201"),
        ])
    func ipv6(text: String, canonical: String) throws {
        let address = try JID("user@" + text + "/x")
        #expect(address.domain == "[" + canonical + "]")
        #expect(address.asciiDomain == canonical)
        #expect(address.domainKind == .ipv6Address)
        #expect(try JID(address.description) == address)
    }

    @Test(
        "Invalid IPv6 addresses",
        arguments: [
            "[]", "[", "[::1", "[:::]", "[1::2::3]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[12345::]", "[g::]",
            "[:1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:]", "[::1]x", "[fe80::1%eth0]", "[1.2.3.4]", "[::1.2.3]", "[+1::]",
            "[::1]:5222", "[1:2:3:4:5:6:7:1.2.3.4]", "[1:2:3:4:5:6:7:8::]", "[::1.2.3.4:1]",
        ])
    func invalidIPv6(text: String) {
        #expect(throws: AddressError(.domain, .invalidIPv6Address)) { try JID(text) }
    }

    @Test("An IPv6 address without brackets is rejected")
    func ipv6WithoutBrackets() {
        #expect(throws: AddressError(.domain, .disallowed(":"))) { try JID("user@::1") }
    }

    @Test(
        "RFC 3492 §7.1: Punycode samples",
        arguments: [
            ("ليهمابتكلموشعربي؟", nil),
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
            ("他們爲什麽不說中文", "xn--ihqwctvzc91f659drss3x8bo0yb"),
            ("pročprostěnemluvíčesky", "xn--proprostnemluvesky-uyb24dma41a"),
            ("למההםפשוטלאמדבריםעברית", "xn--4dbcagdahymbxekheh6e0a7fei0b"),
            ("यहलोगहिन्दीक्योंनहींबोलसकतेहैं", "xn--i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd"),
            ("なぜみんな日本語を話してくれないのか", "xn--n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
            ("почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"),
            ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"),
            ("ひとつ屋根の下2", "xn--2-u9tlzr9756bt3uc0v"),
            ("パフィーdeルンバ", "xn--de-jg4avhby1noc0d"),
            ("そのスピードで", "xn--d9juau41awczczp"),
        ] as [(String, String?)])
    func punycode(label: String, ascii: String?) throws {
        guard let ascii else {
            // The Arabic sample ends with a question mark, which is not allowed in a label.
            #expect(throws: AddressError(.domain, .disallowed("\u{61F}"))) { try JID(label) }
            return
        }
        #expect(try JID(label).asciiDomain == ascii)
        #expect(try JID(ascii).domain == label)
    }
}
