import StanzaCorpus
import Testing
import XMLStreaming

@Suite("Memory of the parser")
struct MemoryReleaseTests {
    private static func elements(_ bytes: [UInt8], inPiecesOf size: Int, releases: Bool) throws -> [XMLElement] {
        var parser = XMLStreamParser(limits: .default)
        var elements: [XMLElement] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            parser.append(Array(bytes[start..<min(start + size, bytes.count)]))
            while let event = try parser.next() {
                if case .element(let element) = event { elements.append(element) }
            }
            if releases { parser.releaseMemory() }
        }
        return elements
    }

    @Test("Releasing memory after each read changes nothing, wherever the reads end", arguments: [1, 7, 100, 5_000])
    func releasing(size: Int) throws {
        var corpus = StanzaCorpus(.day)
        let stanzas = (0..<60).map { _ in corpus.next().xml }
        let bytes = Array((StanzaCorpus.streamHeader + stanzas.joined(separator: " ")).utf8)
        let expected = try Self.elements(bytes, inPiecesOf: bytes.count, releases: false)
        #expect(expected.count == stanzas.count)
        #expect(try Self.elements(bytes, inPiecesOf: size, releases: true) == expected)
    }

    private static func failure(_ parser: inout XMLStreamParser) -> XMLError? {
        do throws(XMLError) {
            _ = try parser.next()
            return nil
        } catch {
            return error
        }
    }

    @Test("An error is at the same place")
    func errors() throws {
        let bytes = Array((StanzaCorpus.streamHeader + "<message><body>a</body></message><message></a>").utf8)
        var parser = XMLStreamParser(limits: .default)
        var other = XMLStreamParser(limits: .default)
        for byte in bytes {
            parser.append([byte])
            other.append([byte])
            while (try? parser.next()) != nil {}
            while (try? other.next()) != nil {}
            other.releaseMemory()
        }
        let error = Self.failure(&parser)
        #expect(error != nil && error == Self.failure(&other))
    }
}
