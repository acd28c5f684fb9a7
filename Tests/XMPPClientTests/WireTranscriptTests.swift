import Testing

@testable import XMPPClient

/// RFC 6120 §4, §11; XEP-0077, 0004, 0045, 0114, 0363, 0388, 0484.
@Suite("Transcript of a connection")
struct WireTranscriptTests {
    private static let root =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"

    /// The lines, with pieces of this many bytes.
    private static func lines(_ text: String, by size: Int = .max) -> [String] {
        var transcript = WireTranscript()
        let bytes = Array(text.utf8)
        var lines: [String] = []
        var position = 0
        while position < bytes.count {
            let end = min(bytes.count, position.addingReportingOverflow(size).overflow ? bytes.count : position + size)
            lines += transcript.append(bytes[position..<end])
            position = end
        }
        return lines
    }

    @Test("each stanza is one line, however the bytes arrive", arguments: [1, 2, 7, .max])
    func stanzas(size: Int) {
        let message = "<message to='bob@xmpp.test'><body>a &lt; b 鸿雁</body></message>"
        let text =
            "<?xml version='1.0'?>\(Self.root)\(message) \n<presence/><a xmlns='urn:xmpp:sm:3' h='1'/></stream:stream>"
        #expect(
            Self.lines(text, by: size) == [
                "<?xml version='1.0'?>", Self.root, message, "<presence/>", "<a xmlns='urn:xmpp:sm:3' h='1'/>",
                "</stream:stream>",
            ])
    }

    @Test("a stream that begins again after the login, and messages of a WebSocket")
    func restarts() {
        #expect(Self.lines(Self.root + Self.root + "<presence/>") == [Self.root, Self.root, "<presence/>"])
        let open = "<open xmlns='urn:ietf:params:xml:ns:xmpp-framing' to='xmpp.test'/>"
        #expect(
            Self.lines(open + "<message xmlns='jabber:client'><body>x</body></message>")
                == [open, "<message xmlns='jabber:client'><body>x</body></message>"])
    }

    /// Each contains `S3CRET` where a secret is and `OPEN` where there is none.
    static let samples = [
        "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='OPEN'>S3CRET</auth>",
        "<sasl:response xmlns:sasl='urn:ietf:params:xml:ns:xmpp-sasl'>S3CRET</sasl:response>",
        "<challenge xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"><![CDATA[S3CRET]]></challenge>",
        """
        <authenticate xmlns='urn:xmpp:sasl:2' mechanism='OPEN'><initial-response>S3CRET</initial-response>\
        <user-agent id='S3CRET'><software>OPEN</software></user-agent></authenticate>
        """,
        """
        <success xmlns='urn:xmpp:sasl:2'><additional-data>S3CRET</additional-data>\
        <token xmlns='urn:xmpp:fast:0' token='S3CRET' expiry='OPEN'/><bound xmlns='urn:xmpp:bind:0'><x xmlns='u'>OPEN</x>\
        </bound></success>
        """,
        "<handshake>S3CRET</handshake>",
        """
        <iq type='set' id='OPEN'><query xmlns='jabber:iq:register'><username>S3CRET</username>\
        <x xmlns='jabber:x:data'><field var='anything'><value>S3CRET</value></field></x></query></iq>
        """,
        "<iq type='set'><query xmlns='jabber:iq:auth'><digest>S3CRET</digest></query></iq>",
        """
        <presence to='OPEN'><x xmlns='http://jabber.org/protocol/muc'><password>S3CRET</password></x></presence>
        """,
        "<message><x xmlns='jabber:x:conference' jid='OPEN' password='S3CRET'/><body>OPEN</body></message>",
        """
        <iq><command xmlns='http://jabber.org/protocol/commands'><x xmlns='jabber:x:data' type='submit'>\
        <field var='accountjid'><value>OPEN</value></field><field var='password-verify'><value>S3CRET</value></field>\
        <field type='text-private' var='pin'><value>S3CRET</value></field></x></command></iq>
        """,
        """
        <iq type='result'><slot xmlns='urn:xmpp:http:upload:0'><put url='https://x.test/S3CRET'>\
        <header name='Authorization'>Bearer S3CRET</header></put><get url='https://x.test/OPEN'/></slot></iq>
        """,
        "<iq><preauth xmlns='urn:xmpp:pars:0' token='S3CRET'/></iq>",
        "<iq><services xmlns='urn:xmpp:extdisco:2'><service host='OPEN' username='OPEN' password='S3CRET'/></services></iq>",
        "<m><e xmlns='urn:xmpp:esfs:0'><key>S3CRET</key><iv>S3CRET</iv></e></m>",
        "<iq><query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'><password>S3CRET</password>OPEN</storage></query></iq>",
    ]

    @Test("S3-7: secrets are masked and everything else is shown", arguments: samples, [1, 5, .max])
    func secrets(sample: String, size: Int) {
        let shown = Self.lines(Self.root + sample, by: size).joined()
        #expect(!shown.contains("S3C") && !shown.contains("CRET"), "\(shown)")
        #expect(shown.contains("…"))
        #expect(shown.components(separatedBy: "OPEN").count == sample.components(separatedBy: "OPEN").count, "\(shown)")
    }

    @Test("a mask does not say how long the secret is")
    func length() {
        func shown(_ secret: String) -> String {
            Self.lines(Self.root + "<x><password>\(secret)</password></x>", by: 3).joined()
        }
        #expect(shown("a") == shown("a much longer one"))
    }

    @Test(
        "what is not well-formed is shown up to there, and nothing after it until the next connection",
        arguments: [
            "<message>text<!-- comment --><body>S3CRET</body></message>", "<!DOCTYPE x><a>S3CRET</a>", "text S3CRET",
            "<message =''><body>S3CRET</body></message>", "</stream:stream></stream:stream><a>S3CRET</a>",
        ])
    func illFormed(text: String) {
        let lines = Self.lines(Self.root + text + "<message><body>S3CRET</body></message>")
        #expect(lines.last == "(What follows is not well-formed and is not shown.)", "\(lines)")
        #expect(!lines.joined().contains("S3CRET"))
    }

    @Test(
        "a line, the nesting and a tag are limited; a long text continues in the next line, not inside of a character")
    func limits() {
        let long = Self.lines(Self.root + "<m><body>" + String(repeating: "鸿", count: 20_000) + "</body></m>")
        #expect(long.count > 3)
        #expect(long.allSatisfy { $0.utf8.count <= WireTranscript.lineLimit + 4 && !$0.contains("\u{FFFD}") })
        #expect(
            Self.lines(Self.root + String(repeating: "<a>", count: 1_000_000)).last?.hasPrefix("(What follows") == true)
        #expect(
            Self.lines("<a b='" + String(repeating: "x", count: 1_000_000)).last?.hasPrefix("(What follows") == true)
    }

    @Test("a line contains nothing that a terminal obeys")
    func controls() {
        let lines = Self.lines(Self.root + "<m><body>a\nb\u{202E}c\u{9B}d</body></m>")
        #expect(lines.last == "<m><body>a&#xA;b&#x202E;c&#x9B;d</body></m>")
    }
}
