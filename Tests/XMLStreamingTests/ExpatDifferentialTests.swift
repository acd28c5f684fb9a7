import StanzaCorpus
import Testing
import XMLStreaming

/// The parser compared with expat, a mature parser.
///
/// Both must accept the same documents and read the same content from them, except for what XMPP forbids and for
/// intended differences; ``explains(_:document:)`` lists them all.
@Suite("Differential test against expat")
struct ExpatDifferentialTests {
    /// Documents of each kind per case; the cases together make more than 100,000.
    private static let documents = 6_500

    private static func contains(_ document: [UInt8], _ string: String) -> Bool {
        let pattern = Array(string.utf8)
        guard document.count >= pattern.count else { return false }
        return (0...document.count - pattern.count).contains {
            document[$0] == pattern[0] && document[$0..<$0 + pattern.count].elementsEqual(pattern)
        }
    }

    /// Whether one of the listed differences explains the rejection of a document that expat accepts.
    private static func explains(_ error: XMLError, document: [UInt8]) -> Bool {
        switch error.code {
        // Comments, processing instructions and DTDs are well-formed XML that XMPP forbids (RFC 6120 §11.1).
        case .restrictedXML: contains(document, "<!") || contains(document, "<?")
        // After the root, all of them are rejected without being read.
        case .notWellFormed:
            contains(document, "<!--") || contains(document, "<?") || contains(document, "<!DOCTYPE")
                || contains(document, "version=")
        // Streams are UTF-8 (RFC 6120 §11.6).
        case .unsupportedEncoding: contains(document, "encoding")
        default: false
        }
    }

    /// Expat follows the name characters of XML 1.0's fourth edition, the parser those of the fifth.
    private static func hasNewerName(_ element: XMLElement) -> Bool {
        func isNewer(_ name: XMLName) -> Bool {
            name.local.unicodeScalars.contains { !$0.isASCII && $0 != "é" && $0 != "中" && $0 != "文" && $0 != "·" }
        }
        return isNewer(element.name) || element.attributes.contains { isNewer($0.name) }
            || element.children.contains { hasNewerName($0) }
    }

    private static func difference(_ document: [UInt8]) -> String? {
        let expected = ContentDump.expat(document)
        do throws(XMLError) {
            let element = try XMLElement(parsing: document)
            guard let expected else {
                if hasNewerName(element) || document.contains(where: { $0 == 0xF0 }) { return nil }
                // A declaration of this namespace is accepted, because servers send it.
                if contains(document, XMLNamespace.xml) { return nil }
                return "accepted what expat refuses"
            }
            return ContentDump.element(element) == expected ? nil : "read other content"
        } catch {
            if expected == nil || explains(error, document: document) { return nil }
            return "refused what expat accepts: \(error)"
        }
    }

    @Test("Generated documents, well-formed and broken", arguments: 1...8)
    func generated(seed: Int) {
        var generator = DocumentGenerator(seed: UInt64(seed))
        var accepted = 0
        for _ in 0..<Self.documents {
            let valid = generator.next()
            let difference = Self.difference(valid)
            if let difference { Issue.record("\(difference): \(String(decoding: valid, as: UTF8.self))") }
            let mutated = generator.nextMutated()
            if let difference = Self.difference(mutated) {
                Issue.record("\(difference): \(String(decoding: mutated, as: UTF8.self))")
            }
            if (try? XMLElement(parsing: valid)) != nil { accepted += 1 }
        }
        #expect(accepted > Self.documents * 9 / 10, "the generator must mostly make documents that can be read")
    }

    /// Streams, not documents: once the peer is authenticated, nothing that expat accepts is an error on a stream.
    @Test("Elements that expat accepts are read or skipped on a stream, and the next element is read", arguments: 1...4)
    func skipped(seed: Int) {
        var generator = DocumentGenerator(seed: UInt64(seed + 100))
        let header = Array("<stream>".utf8)
        let next = Array("<next/>".utf8)
        let small = XMLLimits(
            depth: 2, elementBytes: 120, attributesPerElement: 2, nameBytes: 6, namespaceBindings: 1, namespaceBytes: 4)
        var skipped = 0
        for number in 0..<Self.documents / 2 {
            let document = number % 2 == 0 ? generator.next() : generator.nextMutated()
            // Neither is allowed on a stream.
            guard !Self.contains(document, "<?"), !Self.contains(document, "<!--"), !Self.contains(document, "<!D"),
                ContentDump.expat(document) != nil
            else { continue }
            for limits in [XMLLimits.default, small] {
                let bytes = header + document + next
                let reading = Reading(whole: bytes, limits: limits, skips: true)
                let isRead =
                    reading.error == nil && reading.elements.count + reading.unreadable.count == 2
                    && reading.elements.last?.localName == "next"
                if !isRead || Reading(bytes, pieces: [1], limits: limits, skips: true) != reading {
                    Issue.record("not passed: \(String(decoding: document, as: UTF8.self)) \(reading)")
                }
                if !reading.unreadable.isEmpty { skipped += 1 }
            }
        }
        #expect(skipped > 500)
    }

    @Test("Stanzas of every kind")
    func stanzas() {
        var corpus = StanzaCorpus(seed: 7)
        for _ in 0..<4000 {
            let document = Array(corpus.next().xml.utf8)
            if let difference = Self.difference(document) {
                Issue.record("\(difference): \(String(decoding: document, as: UTF8.self))")
            }
        }
    }
}
