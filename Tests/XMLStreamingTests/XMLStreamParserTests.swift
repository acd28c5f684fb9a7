import Testing
import XMLStreaming

@Suite("Stream parser")
struct XMLStreamParserTests {
    static let header = """
        <?xml version='1.0'?><stream:stream from='im.example.com' id='++TR84Sm6A3hnt3Q065SnAbbk3Y=' version='1.0' \
        xml:lang='en' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>
        """

    @Test("A stream yields its header, its elements and its end (RFC 6120 §4.2, §4.4)")
    func stream() throws {
        var parser = XMLStreamParser()
        parser.append(
            Array(
                (Self.header + "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/>"
                    + "</starttls></stream:features> \n <message to='a@b'><body>hi &amp; bye</body></message>"
                    + "</stream:stream>").utf8))
        guard case .streamOpened(let header)? = try parser.next() else {
            Issue.record("no header")
            return
        }
        #expect(header.name == .stream)
        #expect(header["id"] == "++TR84Sm6A3hnt3Q065SnAbbk3Y=")
        #expect(header.language == "en")
        #expect(header["xml:lang"] == "en")
        #expect(header.children.isEmpty)
        #expect(parser.contentNamespace == "jabber:client")
        guard case .element(let features)? = try parser.next() else {
            Issue.record("no features")
            return
        }
        #expect(features.name == XMLName("features", XMLNamespace.streams))
        let starttls = try #require(features.firstChild(XMLName("starttls", "urn:ietf:params:xml:ns:xmpp-tls")))
        #expect(starttls.firstChild?.localName == "required")
        guard case .element(let message)? = try parser.next() else {
            Issue.record("no message")
            return
        }
        #expect(message.isNamed(XMLName("message", "jabber:client")))
        #expect(message["to"] == "a@b")
        #expect(message.firstChild(XMLName("body", "jabber:client"))?.text == "hi & bye")
        #expect(message.byteCount == "<message to='a@b'><body>hi &amp; bye</body></message>".utf8.count)
        #expect(try parser.next() == .streamClosed)
        #expect(try parser.next() == nil)
    }

    @Test("After <proceed/> the remaining bytes are not parsed and are counted")
    func stopAfterProceed() throws {
        var parser = XMLStreamParser()
        parser.append(Array((Self.header + "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/><evil/>").utf8))
        _ = try parser.next()
        _ = try parser.next()
        #expect(parser.unconsumedByteCount == 7)
    }

    @Test("A restarted stream begins with a new header (RFC 6120 §4.3.3)")
    func restart() throws {
        var parser = XMLStreamParser()
        parser.append(Array((Self.header + "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>").utf8))
        _ = try parser.next()
        _ = try parser.next()
        parser.reset()
        #expect(try parser.next() == nil)
        parser.append(Array(Self.header.utf8))
        guard case .streamOpened? = try parser.next() else {
            Issue.record("no header")
            return
        }
    }

    @Test("An element of the stream has the namespaces of the header")
    func selfContained() throws {
        var parser = XMLStreamParser()
        parser.append(
            Array(
                ("<s:stream xmlns:s='http://etherx.jabber.org/streams' xmlns='jabber:client' xmlns:q='urn:q'>"
                    + "<iq q:a='1'><q:query/></iq>").utf8))
        _ = try parser.next()
        guard case .element(let iq)? = try parser.next() else {
            Issue.record("no element")
            return
        }
        #expect(iq.attribute(XMLName("a", "urn:q")) == "1")
        #expect(iq.firstChild?.name == XMLName("query", "urn:q"))
        let again = try XMLElement(parsing: iq.description)
        #expect(again == iq)
        #expect(again.hashValue == iq.hashValue)
    }

    @Test("Bytes can be received into the parser's own buffer")
    func lentBuffer() throws {
        var parser = XMLStreamParser()
        let bytes = Array((Self.header + "<presence/>").utf8)
        parser.append(capacity: 4096) { buffer in
            buffer.copyBytes(from: bytes)
            return bytes.count
        }
        _ = try parser.next()
        #expect(try parser.next() == .element(XMLElement(XMLName("presence", "jabber:client"))))
        #expect(parser.unconsumedByteCount == 0)
    }
}
