import Testing

@testable import ChatModel

@Suite("Targets of links")
struct LinkHostTests {
    @Test(
        "the host of a deceptive link is shown in ASCII",
        arguments: [
            // Cyrillic letters alone that look like Latin ones.
            ("https://аррӏе.com/login", "xn--80ak6aa92e.com"),
            // One Cyrillic letter among Latin ones.
            ("https://pаypal.example", "xn--pypal-4ve.example"),
            ("http://googlе.example:8080/x?y#z", "xn--googl-3we.example"),
            // Greek among Latin.
            ("https://gοοgle.example", "xn--ggle-0nda.example"),
            // Another name in front of it.
            ("https://bank.example@evil.example/", "evil.example"),
            ("xmpp:romeo@mоntague.example?message", "xn--mntague-9ig.example"),
        ])
    func deceptive(link: String, ascii: String) throws {
        let host = try #require(LinkHost(link))
        #expect(host.isDeceptive)
        #expect(host.asciiName == ascii)
    }

    @Test(
        "names in one's own language are not suspicious",
        arguments: ["https://bücher.example", "https://鸿雁.example", "https://пример.example", "https://日本のabc.example"])
    func honest(link: String) throws {
        let host = try #require(LinkHost(link))
        #expect(!host.isDeceptive, "\(link)")
        #expect(host.asciiName?.hasPrefix("xn--") == true)
    }

    @Test("plain links have no warning; characters that no host name has are shown by code point")
    func others() throws {
        for link in ["https://example.org/a?b@c", "xmpp:romeo@montague.example", "https://[::1]:80/"] {
            let host = try #require(LinkHost(link))
            #expect(host.asciiName == nil && !host.isDeceptive)
        }
        #expect(LinkHost("geo:52.5,13.4") == nil)
        #expect(LinkHost("tel:123") == nil)
        #expect(LinkHost("https://") == nil)
        let slash = try #require(LinkHost("https://bank.example\u{2044}login.evil.example/"))
        #expect(slash.isDeceptive)
        #expect(slash.asciiName == "bank.example<U+2044>login.evil.example")
    }

    @Test("characters that reorder or hide text end a link")
    func controls() {
        #expect(MessageBody("https://a.example/\u{202E}gpj.exe").links == ["https://a.example/"])
        #expect(MessageBody("https://a.example/\u{2066}x").links == ["https://a.example/"])
        #expect(MessageBody("https://a.example/\u{200B}x").links == ["https://a.example/"])
    }
}
