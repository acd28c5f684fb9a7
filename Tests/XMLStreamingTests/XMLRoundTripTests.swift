import StanzaCorpus
import Testing
import XMLStreaming

/// A random element as plain data, independent of writer and parser.
private struct Model: XMLEncodable, Equatable {
    enum Content: Sendable, Equatable {
        case element(Model)
        case text(String)
    }

    var name: XMLName
    var attributes: [XMLName: String]
    var content: [Content]

    func encode(to writer: inout XMLWriter) {
        writer.start(name)
        for (name, value) in attributes { writer.attribute(name, value) }
        for piece in content {
            switch piece {
            case .element(let element): writer.write(element)
            case .text(let text): writer.text(text)
            }
        }
        writer.end()
    }

    init(name: XMLName, attributes: [XMLName: String], content: [Content]) {
        self.name = name
        self.attributes = attributes
        self.content = content
    }

    /// The content of an element.
    init(_ element: XMLElement) {
        name = element.name
        attributes = Dictionary(element.attributes.map { ($0.name, $0.value) }) { first, _ in first }
        content = element.nodes.map { node in
            switch node {
            case .element(let child): .element(Model(child))
            case .text(let text): .text(text)
            }
        }
    }

    /// The expected result: U+FFFD for characters that XML does not allow, adjacent text joined, no empty text.
    var normalised: Model {
        var result = Model(name: name, attributes: attributes.mapValues(Self.allowed), content: [])
        for piece in content {
            switch piece {
            case .element(let element): result.content.append(.element(element.normalised))
            case .text(""): break
            case .text(let text):
                if case .text(let before)? = result.content.last {
                    result.content[result.content.count - 1] = .text(before + Self.allowed(text))
                } else {
                    result.content.append(.text(Self.allowed(text)))
                }
            }
        }
        return result
    }

    private static func allowed(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...: result.append(scalar)
            default: result.append("\u{FFFD}")
            }
        }
        return String(result)
    }
}

@Suite("Writing and reading again")
struct XMLRoundTripTests {
    private static let locals = ["a", "b", "message", "é", "中文", "_", "x-1.y", "stanza-id", "lang", "ns1"]
    private static let namespaces = [
        "", "jabber:client", "urn:a", "urn:b&<'\">\t\n", "é中😀", XMLNamespace.streams, XMLNamespace.xml,
    ]

    private static func text(_ random: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<random.below(12) {
            switch random.below(6) {
            case 0:
                text += random.pick(["&", "<", ">", "'", "\"", "]]>", "\r\n", "\r", "\t", " ", "&amp;", "<!--", "é"])
            case 1: text += random.pick(["\u{0}", "\u{B}", "\u{FFFE}", "\u{FFFF}", "\u{FFFD}", "\u{EFFF}", "\u{85}"])
            case 2: text += random.pick(["中", "😀", "ａ", "\u{10FFFF}", "\u{FEFF}", "é"])
            case 3: text += "a run of plain text"
            default: text.unicodeScalars.append(Unicode.Scalar(UInt8(random.below(128))))
            }
        }
        return text
    }

    private static func model(_ random: inout SeededGenerator, depth: Int) -> Model {
        var attributes: [XMLName: String] = [:]
        for _ in 0..<random.below(4) {
            let namespace = random.percent(70) ? "" : random.pick(Self.namespaces)
            attributes[XMLName(random.pick(Self.locals), namespace)] = Self.text(&random)
        }
        var content: [Model.Content] = []
        for _ in 0..<random.below(depth < 4 ? 4 : 1) {
            content.append(
                random.percent(50) && depth < 5
                    ? .element(Self.model(&random, depth: depth + 1)) : .text(Self.text(&random)))
        }
        let name = XMLName(random.pick(Self.locals), random.pick(Self.namespaces))
        return Model(name: name, attributes: attributes, content: content)
    }

    @Test("Random elements are read as they were written", arguments: 1...4)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let model = Self.model(&random, depth: 0)
            let element = XMLElement(model)
            #expect(Model(element) == model.normalised)
            #expect(try XMLElement(parsing: element.description) == element)

            // Through a stream, in pieces, inside of another default namespace and with the prefix `stream` bound.
            var writer = XMLWriter(defaultNamespace: "jabber:client", inStream: true)
            writer.write(model)
            writer.write(element)
            for child in element.children { writer.write(child) }
            let stream = XMLWriter.streamHeader() + writer.takeBytes() + XMLWriter.streamFooter
            let reading = Reading(stream, pieces: [random.inRange(1...64)])
            #expect(reading.error == nil)
            #expect(reading.elements == [element, element] + Array(element.children))
            #expect(reading.elements.first.map { Model($0) } == model.normalised)
        }
    }

    @Test("Stanzas of every kind are read as they were written")
    func stanzas() throws {
        var corpus = StanzaCorpus(seed: 3)
        var stream = Array(StanzaCorpus.streamHeader.utf8)
        for _ in 0..<500 { stream += Array(corpus.next().xml.utf8) }
        let elements = Reading(whole: stream).elements
        #expect(elements.count == 500)
        var writer = XMLWriter(defaultNamespace: "jabber:client", inStream: true)
        for element in elements { writer.write(element) }
        let again = Reading(Array(StanzaCorpus.streamHeader.utf8) + writer.takeBytes(), pieces: [1000])
        #expect(again.elements == elements)
    }

    @Test("A value that leaves elements open, or closes too many, cannot break the elements around it")
    func unbalanced() throws {
        struct Open: XMLEncodable {
            func encode(to writer: inout XMLWriter) {
                writer.start(XMLName("a", ""))
                writer.start(XMLName("b", ""))
            }
        }
        var writer = XMLWriter()
        writer.element(XMLName("root", "")) { writer in
            writer.write(Open())
            writer.text("x")
        }
        writer.end()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "<root><a><b/></a>x</root>")
    }
}
