import StanzaCorpus
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

    @Test("Random texts and values are escaped as defined, at every length and boundary", arguments: 1...8)
    func randomEscaping(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let special = Array(
            "&<>'\"\t\n\r\u{0}\u{1F} ~\u{7F}\u{80}éﬀ，語\u{EFFF}\u{F000}\u{FFFD}\u{FFFE}\u{FFFF}😀".unicodeScalars)
        for _ in 0..<4_000 {
            var scalars = String.UnicodeScalarView()
            let share = random.pick([0, 2, 10, 50, 100])
            for _ in 0..<random.below(70) {
                if random.percent(share) {
                    scalars.append(random.pick(special))
                } else if random.percent(10), let any = Unicode.Scalar(UInt32(random.below(0x11_0000))) {
                    scalars.append(any)
                } else {
                    scalars.append(Unicode.Scalar(UInt8(random.inRange(97...122))))
                }
            }
            let text = String(scalars)
            let name = String(repeating: "n", count: random.inRange(1...20))
            var writer = XMLWriter()
            writer.start(XMLName(name, ""))
            writer.attribute("k", text)
            writer.attribute(name, text)
            writer.text(text)
            writer.start(XMLName(name, text))
            writer.end()
            writer.end()
            let value = Self.escaped(text, isAttribute: true)
            let inner = text.isEmpty ? "<\(name)/>" : "<\(name) xmlns='\(value)'/>"
            let expected =
                "<\(name) k='\(value)' \(name)='\(value)'>\(Self.escaped(text, isAttribute: false))\(inner)</\(name)>"
            guard writer.bytes != Array(expected.utf8) else { continue }
            Issue.record("\(text.unicodeScalars.map { String($0.value, radix: 16) })")
        }
    }

    @Test("Random names are written as they are, or corrected", arguments: 1...4)
    func randomNames(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let plain = Array("abyzABYZ0189-._")
        for _ in 0..<4_000 {
            var name = ""
            for _ in 0..<random.inRange(1...20) {
                name.append(random.percent(97) ? random.pick(plain) : random.pick(Array(" :/@[`{é語<")))
            }
            let isPlain = name.allSatisfy(plain.contains) && (name.first?.isLetter == true || name.first == "_")
            var writer = XMLWriter()
            writer.start(XMLName(name, ""))
            writer.attribute(name, "1")
            writer.attribute(name, "2")
            writer.attribute("other", "3")
            writer.end()
            if isPlain {
                #expect(String(decoding: writer.bytes, as: UTF8.self) == "<\(name) \(name)='1' other='3'/>")
            } else {
                let element = try XMLElement(parsing: writer.bytes)
                #expect(element.attributes.map(\.value) == ["1", "3"])
            }
        }
    }

    @Test("Random elements are written alike, however often their bytes are taken in between", arguments: 1...4)
    func randomTaking(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let namespaces = [client, "", "urn:a", "urn:b", "urn:&'<\u{1}", "urn:\(String(repeating: "é", count: 40))"]
        for _ in 0..<500 {
            var whole = XMLWriter(defaultNamespace: client, inStream: true)
            var parts = whole
            var taken: [UInt8] = []
            for _ in 0..<random.inRange(1...40) {
                switch random.below(6) {
                case 0, 1:
                    let name = XMLName(
                        random.pick(["a", "message", "long-name-of-an-element"]), random.pick(namespaces))
                    whole.start(name)
                    parts.start(name)
                case 2:
                    let (name, value) = (random.pick(["id", "to", "a:b", "xml:lang"]), random.pick(["x", "&", "é"]))
                    whole.attribute(name, value)
                    parts.attribute(name, value)
                case 3:
                    whole.text("text")
                    parts.text("text")
                default:
                    whole.end()
                    parts.end()
                }
                // A start tag that may get attributes ends when its bytes are taken.
                if random.percent(30) {
                    whole.text("-")
                    parts.text("-")
                    taken += parts.takeBytes()
                }
            }
            for _ in 0..<40 {
                whole.end()
                parts.end()
            }
            #expect(whole.takeBytes() == taken + parts.takeBytes())
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
