internal import CExpat
internal import StanzaCorpus

/// Random content of stanzas that expat accepts, and servers with expat therefore forward.
package struct WirePayloads {
    private var generator: DocumentGenerator

    package init(seed: UInt64) { generator = DocumentGenerator(seed: seed) }

    /// The next content, well-formed inside of a stanza and without anything that XMPP forbids (RFC 6120 §11.1).
    package mutating func next() -> String {
        while true {
            let bytes =
                switch generator.random.below(10) {
                case 0..<5: generator.next()
                case 5..<7: generator.nextMutated()
                default: Array(oddity().utf8)
                }
            guard let text = String(validating: bytes, as: UTF8.self), !text.contains("<?"), !text.contains("<!--"),
                !text.contains("<!D"),
                Expat.accepts("<stream xmlns:stream='urn:s'><message xmlns='jabber:client'>\(text)</message></stream>")
            else { continue }
            return text
        }
    }

    /// Sizes and names for which parsers differ.
    private mutating func oddity() -> String {
        let size = generator.random.pick([1, 2, 60, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 300, 1000])
        let namespace = generator.random.pick([
            "u", "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns", "jabber:client",
            "http://etherx.jabber.org/streams", "urn:\(String(repeating: "n", count: size))", " ", "a b", "é",
        ])
        let name = generator.random.pick([
            "a", "xml", "xmlfoo", "XML", "stream", "_", String(repeating: "n", count: size),
        ])
        let prefix = generator.random.pick([
            "p", "stream", "xmlp", "XML", String(repeating: "p", count: min(size, 300)),
        ])
        switch generator.random.below(12) {
        case 0: return "<\(name) xmlns='\(namespace)'/>"
        case 1: return "<xml:\(name)/>"
        case 2: return "<x xmlns='u' xml:\(name)='\(size)'/>"
        case 3: return "<x xmlns='u'\((0..<size).map { " a\($0)='1'" }.joined())/>"
        case 4: return "<x xmlns='u'\((0..<min(size, 130)).map { " xmlns:p\($0)='urn:\($0)' p\($0):a='1'" }.joined())/>"
        case 5:
            let depth = min(size, 300)
            return String(repeating: "<a xmlns='u'>", count: depth) + String(repeating: "</a>", count: depth)
        case 6: return "<\(prefix):\(name) xmlns:\(prefix)='\(namespace)'/>"
        case 7: return "<x xmlns='u' xmlns:\(prefix)='\(namespace)' \(prefix):\(name)='v' \(name)='v'/>"
        case 8:
            return
                "<x xmlns='u'>\(String(repeating: "&#\(generator.random.pick([9, 10, 13, 38, 60, 0x85, 0xFDD0, 0x10FFFF]));", count: size))</x>"
        case 9:
            return
                "<x xmlns='u'><![CDATA[\(String(repeating: generator.random.pick(["]", "]]", "<", "&", "\r\n"]), count: size))]]></x>"
        case 10: return "<p:x xmlns:p='\(namespace)'>\(String(repeating: "<p:a/>", count: size))</p:x>"
        default:
            return
                "<x xmlns='' a='\(String(repeating: generator.random.pick(["\"", "&apos;", "\t", "é"]), count: size))'/>"
        }
    }
}

/// The parser of Prosody and ejabberd.
enum Expat {
    static func accepts(_ document: String) -> Bool {
        guard let parser = XML_ParserCreateNS("UTF-8", 0x1F) else { return false }
        defer { XML_ParserFree(parser) }
        let bytes = Array(document.utf8)
        return bytes.withUnsafeBytes {
            XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), 1)
                == XML_STATUS_OK
        }
    }
}
