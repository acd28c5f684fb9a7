import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("Any stanza")
struct StanzaDecoderTests {
    @Test("S3-5: a top-level element is one of three stanzas or something else")
    func kinds() throws {
        for (text, name) in [
            ("<message/>", "message"), ("<presence/>", "presence"), ("<iq id='1' type='result'/>", "iq"),
        ] {
            let kind =
                switch try AnyStanza(element(text)) {
                case .message: "message"
                case .presence: "presence"
                case .iq: "iq"
                case nil: "nothing"
                }
            #expect(kind == name)
        }
        #expect(try AnyStanza(XMLElement(parsing: "<message xmlns='other'/>")) == nil)
        #expect(try AnyStanza(XMLElement(parsing: "<r xmlns='urn:xmpp:sm:3'/>")) == nil)
    }

    @Test("repeated addresses are decoded alike, even if they share a slot of the cache")
    func cache() throws {
        var decoder = StanzaDecoder()
        for round in 0..<3 {
            for number in 0..<3000 {
                let text = "<message from='User\(number)@example.org/r\(round)' to='me@example.org'/>"
                let stanza = try #require(try decoder.decode(element(text)))
                #expect(try stanza.from == JID("user\(number)@example.org/r\(round)"))
                #expect(try stanza.to == JID("me@example.org"))
            }
        }
        let bad = try element("<message from='@'/>")
        #expect(throws: XMLDecodingError.self) { try decoder.decode(bad) }
        #expect(throws: XMLDecodingError.self) { try decoder.decode(bad) }
    }

    @Test("S3-9: fields common to all stanzas can be read and changed without a switch")
    func fields() throws {
        for text in ["<message/>", "<presence/>", "<iq id='1' type='result'/>"] {
            var stanza = try #require(try AnyStanza(element(text)))
            stanza.id = "9"
            stanza.to = try JID("a@example.org")
            stanza.from = try JID("b@example.org")
            stanza.payloads.append(Marker(value: 1))
            #expect(!stanza.isError && stanza.error == nil)
            let written = XMLElement(stanza)
            #expect(written["id"] == "9" && written["to"] == "a@example.org" && written["from"] == "b@example.org")
            #expect(written.firstChild(Marker.name) != nil)
            #expect(try AnyStanza(written) == stanza)
        }
    }
}
