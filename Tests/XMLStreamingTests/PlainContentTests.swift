import Testing
import XMLStreaming

/// The parser has a fast path for plain content that is complete in the buffer, and a general path. Byte by byte
/// nothing is ever complete, so this comparison uses both.
@Suite("Plain content")
struct PlainContentTests {
    static let header = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"

    static let stanzas = [
        "<message/>", "<message />", "<message  to='a'/>", "<message\tto='a'\n/>", "<message to = 'a'/>", "<iq></iq >",
        "<message to='a'from='b'/>", "<message to='a' to='b'/>", "<message to=\"a\" from='\"'/>", "<message to=#a#/>",
        "<message xmlns='a' xmlns='b'/>", "<message xmlns=''/>", "<message xmlns=\"a\"><body xmlns='b'/><x/></message>",
        "<message xmlns='http://www.w3.org/XML/1998/namespace'/>", "<message xmlns='http://www.w3.org/2000/xmlns/'/>",
        "<message xmlns='http://jabber.org/protocol/muc#owner'/>", "<message xmlns=&a&/>", "<message xmlnsx='a'/>",
        "<message xml:lang='en'><body xml:lang='de' xml:lang='en'/></message>", "<message xml:language='en'/>",
        "<message to='&lt;' from='b'><body>&amp;</body></message>", "<message to='<'/>", "<message to='\u{1}'/>",
        "<message><body>a]b]]c</body></message>", "<message><body>a]]></body></message>",
        "<message><body>line\nline\ttab\r\nline</body></message>", "<message><body>\u{1}</body></message>",
        "<message><body><![CDATA[<>]]></body></message>", "<message><!-- --></message>", "<message><?a?></message>",
        "<message from='老王@example.org/Nurse 👵'><body>你好，é👩‍💻\u{FFFD} and text</body></message>",
        "<message><body>\u{FFFE}</body></message>", "<message from='\u{FFFF}'/>", "<é è='1'/>", "<a:b/>",
        "<a:b xmlns:a='c'/>",
        "<message a:b='1' xmlns:a='c'/>", "<stream:error><x xmlns='urn'/></stream:error>", "<message></iq>",
        "<message><body></message></body>", "<message-with-a-long-name></message-with-a-long-nome>",
        "<message><attribute-name-of-thirty-characters a='1'/></message>", "<1/>", "<-a/>", "<message 1='2'/>",
        "<message to='a' ><body >x</body ></message >", "<message to='a'  />", "<message to='a'\n\t>x</message>",
        "<message to='a' / >", "<message to='a' b/>", "<message><body>a&lt;b&gt;c&amp;d&quot;e&apos;f</body></message>",
        "<message><body>&#65;&#x4e2d;&#x1F600;&#10;&#13;你&amp;好&#x10FFFF;</body></message>",
        "<message><body>&nbsp;</body></message>", "<message><body>&lt</body></message>",
        "<message><body>&</body></message>",
        "<message><body>a &; b</body></message>", "<message><body>&#;&#x;</body></message>",
        "<message><body>&#0;</body></message>", "<message><body>&#xD800;</body></message>",
        "<message><body>&#xFFFE;</body></message>", "<message><body>&#x110000;</body></message>",
        "<message><body>&#99999999999999999999;</body></message>",
        "<message><body>&amp;&amp;&amp;&amp;]]&gt;</body></message>",
        "<message><body>a\r\nb\rc\n&#13;\n</body></message>", "<message to='&quot;&#39;\r\n\ta&#10;&lt;'/>",
        "<message to='&bogus;' from='b'/>", "<message to='a&amp;' to='b&amp;'/>",
        "<message to='&#x1F600;' xmlns='a&amp;b'/>",
        "<message xmlns='&#117;rn'><body>&amp;</body></message>",
        "<a b='&lt;'><c d='&gt;'>e&amp;</c><f g='&#65;'/></a>",
        "<message><body>\u{7F}\u{80}\u{7FF}\u{800}\u{FFF}\u{1000}\u{CFFF}\u{D000}\u{D7FF}\u{E000}\u{FFFD}</body></message>",
        "<message><body>\u{10000}\u{3FFFF}\u{10FFFF}😀é中é😀中中😀你好世界，再见。</body></message>",
        "<message><body>مرحبا كيف Привет как 안녕하세요 नमस्ते</body></message>",
        "<a><b><c><d/>text<d></d></c>more</b></a>", "<message><body>unfinished", "<message to='unfinished",
    ]

    @Test("one read and single bytes give the same elements and errors", arguments: stanzas)
    func pieces(_ stanza: String) {
        for tail in ["", "<presence from='romeo@example.net/orchard'><show>away</show></presence>"] {
            let bytes = Array((Self.header + stanza + tail).utf8)
            #expect(Reading(whole: bytes) == Reading(bytes, pieces: [1]))
            for first in Self.header.utf8.count..<bytes.count {
                #expect(Reading(bytes, pieces: [first, bytes.count]) == Reading(whole: bytes))
            }
        }
    }

    @Test(
        "invalid UTF-8 is rejected at the same position",
        arguments: [
            [0x80], [0xC1, 0xBF], [0xE4, 0xB8], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xEF, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE4, 0xB8, 0x80, 0xE4, 0x41],
            [0xC0, 0x80], [0xC2, 0x41], [0xDF, 0xFF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF],
            [0xF5, 0x80, 0x80, 0x80],
            [0xF0, 0x90, 0x80, 0x41], [0xF3, 0xA0, 0xC0, 0x80], [0xE4, 0xB8, 0x80, 0xE4, 0xB8, 0x41],
            [0xED, 0xBF, 0xBF],
            [0xE4, 0xB8, 0x80, 0xED, 0xA0, 0x80], [0xEF, 0xBF, 0xBE],
        ])
    func invalidUTF8(_ sequence: [UInt8]) {
        for (before, after) in [("<message><body>你好", "text text</body></message>"), ("<message to='", "abcdefgh'/>")] {
            let bytes = Array((Self.header + before).utf8) + sequence + Array(after.utf8)
            let whole = Reading(whole: bytes)
            #expect(whole.error != nil)
            #expect(whole == Reading(bytes, pieces: [1]))
        }
    }

    @Test("the limits apply on the fast path as well")
    func limits() {
        let limits = XMLLimits(depth: 3, elementBytes: 400, attributesPerElement: 2, nameBytes: 8)
        for stanza in [
            "<a><b><c/></b></a>", "<a><b><c><d/></c></b></a>", "<a b='1' c='2'/>", "<a b='1' c='2' d='3'/>",
            "<a xmlns='1' b='2' c='3'/>", "<a2345678/>", "<a23456789/>", "<a b2345678='1'/>", "<a b23456789='1'/>",
            "<a>" + String(repeating: "x", count: 500) + "</a>",
        ] {
            let bytes = Array(("<s xmlns='jabber:client'>" + stanza + "<presence type='unavailable'/>").utf8)
            #expect(Reading(whole: bytes, limits: limits) == Reading(bytes, pieces: [1], limits: limits), "\(stanza)")
        }
    }
}
