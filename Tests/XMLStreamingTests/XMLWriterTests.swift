import Testing
import XMLStreaming

@Suite("Writer")
struct XMLWriterTests {
    private let client = "jabber:client"

    @Test("Namespaces are declared where they change and nowhere else")
    func minimalDeclarations() {
        var writer = XMLWriter(defaultNamespace: client)
        writer.element(XMLName("iq", client)) { writer in
            writer.attribute("type", "get")
            writer.attribute("to", nil)
            writer.element(XMLName("query", "urn:q")) { writer in
                writer.element(XMLName("item", "urn:q"))
                writer.element(XMLName("body", client), text: "x")
                writer.element(XMLName("none", ""))
            }
        }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == "<iq type='get'><query xmlns='urn:q'><item/><body xmlns='jabber:client'>x</body><none xmlns=''/>"
                + "</query></iq>")
    }

    @Test("Inside of a stream, stream elements have the prefix stream")
    func streamPrefix() {
        var writer = XMLWriter(defaultNamespace: client, inStream: true)
        writer.element(XMLName("error", XMLNamespace.streams)) { writer in
            writer.element(XMLName("conflict", "urn:ietf:params:xml:ns:xmpp-streams"))
        }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == "<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>")
    }

    @Test("Text and values are escaped, forbidden characters become U+FFFD, names are corrected")
    func escaping() throws {
        var writer = XMLWriter()
        writer.start(XMLName("a b:c", ""))
        writer.attribute("k", "\"'<&>\t\n\r\u{0}")
        writer.attribute("k", "again")
        writer.attribute("xmlns", "evil")
        writer.attribute(.language, "en")
        writer.attribute(XMLName("z", "urn:z"), "1")
        writer.text("]]><&\r\n\u{1}\u{FFFF}\u{FFFE}\u{FFFD}é😀")
        writer.end()
        writer.end()
        let element = try XMLElement(parsing: writer.takeBytes())
        #expect(element.localName == "a_b_c")
        #expect(element["k"] == "\"'<&>\t\n\r\u{FFFD}")
        #expect(element.language == "en")
        #expect(element.attribute(XMLName("z", "urn:z")) == "1")
        #expect(element.attributes.reduce(0) { count, _ in count + 1 } == 3)
        #expect(element.text == "]]><&\r\n\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}é😀")
    }

    /// Escapes one character after the other.
    private static func escaped(_ text: String, isAttribute: Bool) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "'" where isAttribute: result += "&apos;"
            case "\"" where isAttribute: result += "&quot;"
            case "\t" where isAttribute: result += "&#9;"
            case "\n" where isAttribute: result += "&#10;"
            case "\r": result += "&#13;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    @Test(
        "A character is escaped wherever it is, whatever is beside it",
        arguments: ["a", "语", "，", "\u{FFFD}", "'", "😀"])
    func escapingAtEveryPosition(filler: Character) {
        let characters = "&<>'\"\t\n\r\u{0}\u{1F}\u{20}\u{7F}\u{FFFC}\u{FFFE}\u{FFFF}\u{FFEF}，é".unicodeScalars
        for count in 0..<20 {
            let before = String(repeating: filler, count: count)
            for character in characters {
                for rest in [0, 1, 7, 8] {
                    let text = before + String(character) + String(repeating: filler, count: rest) + String(character)
                    var writer = XMLWriter()
                    writer.start(XMLName("a", ""))
                    writer.attribute("k", text)
                    writer.text(text)
                    writer.end()
                    let expected =
                        "<a k='\(Self.escaped(text, isAttribute: true))'>\(Self.escaped(text, isAttribute: false))</a>"
                    guard writer.bytes != Array(expected.utf8) else { continue }
                    Issue.record("\(count) and \(rest) around U+\(String(character.value, radix: 16))")
                }
            }
        }
    }

    @Test("Bytes can be taken and added while elements are open")
    func takenInParts() {
        var writer = XMLWriter(defaultNamespace: client)
        writer.start(XMLName("message", client))
        writer.start(XMLName("outer", "urn:o"))
        var whole = writer.takeBytes()
        writer.element(XMLName("inner", "urn:o"), text: String(repeating: "x", count: 2_000))
        whole += writer.takeBytes()
        writer.end()
        writer.element(XMLName("body", client), text: "text")
        writer.end()
        #expect(writer.byteCount == writer.bytes.count)
        whole += writer.takeBytes()
        #expect(writer.byteCount == 0)
        let inner = String(repeating: "x", count: 2_000)
        #expect(
            String(decoding: whole, as: UTF8.self)
                == "<message><outer xmlns='urn:o'><inner>\(inner)</inner></outer><body>text</body></message>")
    }

    @Test("An attribute is written once, also if its name is corrected")
    func attributesOnce() {
        var writer = XMLWriter()
        writer.start(XMLName("a", ""))
        for name in ["id", "to", "id", "a b", "a_b", "a:b", "xml:lang", "xml:lang", "identifier", "identified"] {
            writer.attribute(name, "1")
        }
        writer.end()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == "<a id='1' to='1' a_b='1' xml:lang='1' identifier='1' identified='1'/>")
    }

    @Test("An element with outer prefixes is copied with its namespaces")
    func copy() throws {
        let outer = try XMLElement(parsing: "<p:a xmlns:p='u' xmlns='d'><p:b p:k='1'><c/></p:b></p:a>")
        let inner = try #require(outer.firstChild)
        var writer = XMLWriter(defaultNamespace: "u")
        writer.write(inner)
        let copy = try XMLElement(
            parsing: "<w xmlns='u'>" + String(decoding: writer.bytes, as: UTF8.self) + "</w>")
        #expect(copy.firstChild == inner)
        #expect(try XMLElement(parsing: inner.description) == inner)
    }

    @Test("The stream header is escaped and can be parsed")
    func header() throws {
        var parser = XMLStreamParser()
        parser.append(XMLWriter.streamHeader(to: "im.example.com", from: "juliet@im.example.com", language: "en"))
        parser.append(XMLWriter.streamFooter)
        guard case .streamOpened(let header)? = try parser.next() else {
            Issue.record("no header")
            return
        }
        #expect(header.name == .stream)
        #expect(header["to"] == "im.example.com")
        #expect(header["version"] == "1.0")
        #expect(parser.contentNamespace == "jabber:client")
        #expect(try parser.next() == .streamClosed)
    }
}
