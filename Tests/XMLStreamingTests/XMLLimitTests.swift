import Testing
import XMLStreaming

@Suite("Limits")
struct XMLLimitTests {
    static let header = Array("<stream xmlns='c'>".utf8)
    static let limits = XMLLimits(
        depth: 4, elementBytes: 100, attributesPerElement: 3, nameBytes: 10, namespaceBindings: 2)

    @Test(
        "An element at the limit is read, one above it is rejected with the name of the limit",
        arguments: [
            ("<a><b><c><d/></c></b></a>", "<a><b><c><d><e/></d></c></b></a>", .tooDeep),
            (
                "<a>" + String(repeating: "x", count: 93) + "</a>", "<a>" + String(repeating: "x", count: 94) + "</a>",
                .elementTooLarge
            ),
            (
                "<a b='" + String(repeating: "x", count: 91) + "'/>",
                "<a b='" + String(repeating: "x", count: 92) + "'/>", .elementTooLarge
            ),
            (
                "<a>" + String(repeating: "<b/>", count: 23) + " </a>",
                "<a>" + String(repeating: "<b/>", count: 23) + "  </a>", .elementTooLarge
            ),
            ("<a b='' c='' xmlns='x'/>", "<a b='' c='' xmlns='x' d=''/>", .tooManyAttributes),
            ("<abcdefghij/>", "<abcdefghijk/>", .nameTooLong),
            ("<ab:cdefghi xmlns:ab='x'/>", "<ab:cdefghij xmlns:ab='x'/>", .nameTooLong),
            ("<a abcdefghij=''/>", "<a abcdefghijk=''/>", .nameTooLong),
            ("<ééé中a/>", "<ééé中ab/>", .nameTooLong),
            (
                "<a xmlns:p='x'><b xmlns:q='x'/><b xmlns:q='x'/></a>",
                "<a xmlns:p='x'><b xmlns:q='x'><c xmlns:r='x'/></b></a>", .tooManyNamespaces
            ),
        ] as [(String, String, XMLError.Code)])
    func boundary(at: String, above: String, code: XMLError.Code) {
        for pieces in [[1], [1000], [7]] {
            let fine = Reading(Self.header + Array(at.utf8), pieces: pieces, limits: Self.limits)
            #expect(fine.error == nil)
            #expect(fine.elements.count == 1)
            let refused = Reading(Self.header + Array(above.utf8), pieces: pieces, limits: Self.limits)
            #expect(refused.error?.code == code)
            #expect(refused.elements.isEmpty)
            #expect(refused == Reading(whole: Self.header + Array(above.utf8), limits: Self.limits))
        }
    }

    @Test(
        "An element that never ends reaches the limit and does not grow beyond it",
        arguments: [
            "<a>x", "<a b='", "<a ", "<a", "<a><![CDATA[", "<a><b/>", "<a></a", "<a b", "<a b ", "<!", "<?xml ",
        ])
    func endless(start: String) {
        let filler = Array(start.hasSuffix("/>") ? "<b/>".utf8 : "          ".utf8)
        // The same is true for a stream header that does not end.
        for prefix in start.hasPrefix("<a>") ? [Self.header] : [Self.header, []] {
            var parser = XMLStreamParser(limits: Self.limits)
            parser.append(prefix + Array(start.utf8))
            var failed = false
            for _ in 0..<100 where !failed {
                do { while try parser.next() != nil {} } catch { failed = true }
                #expect(parser.unconsumedByteCount <= Self.limits.elementBytes + filler.count)
                parser.append(filler)
            }
            #expect(failed)
        }
    }

    @Test("Endless whitespace between elements uses no memory")
    func keepAlive() throws {
        var parser = XMLStreamParser(limits: Self.limits)
        parser.append(Self.header)
        _ = try parser.next()
        for _ in 0..<1000 {
            parser.append(Array("  \n \t \r\n ".utf8))
            #expect(try parser.next() == nil)
            #expect(parser.unconsumedByteCount == 0)
        }
    }

    @Test("W-17: a million nested elements are rejected at the limit")
    func nestingBomb() {
        let bytes = Self.header + [UInt8](String(repeating: "<a>", count: 1_000_000).utf8)
        let reading = Reading(bytes, pieces: [16_384])
        #expect(reading.error?.code == .tooDeep)
        #expect((reading.error?.offset ?? .max) < 1000)
    }

    @Test("60,000 open elements are read, compared, copied and written in linear time")
    func linearDepth() throws {
        var limits = XMLLimits.default
        limits.depth = 65_535
        let deep = String(repeating: "<a xmlns='x'>", count: 60_000) + String(repeating: "</a>", count: 60_000)
        let element = try XMLElement(parsing: deep, limits: limits)
        #expect(element == element)
        #expect(element.description.utf8.count < deep.utf8.count)
        #expect(element.children.first?.isNamed(XMLName("a", "x")) == true)
    }

    @Test("A large element in tiny reads takes linear time and is read completely")
    func tinyReads() {
        let text = String(repeating: "x&amp;y ", count: 4000)
        let value = String(repeating: "v", count: 40_000)
        let space = String(repeating: " ", count: 40_000)
        let bytes = Self.header + Array("<a b='\(value)'\(space)c = 'x'><b>\(text)</b><![CDATA[\(text)]]></a>".utf8)
        let whole = Reading(whole: bytes)
        #expect(whole.error == nil)
        #expect(whole.elements.first?["b"]?.utf8.count == 40_000)
        #expect(Reading(bytes, pieces: [1]) == whole)
        #expect(Reading(bytes, pieces: [5]) == whole)
    }

    @Test("Limits are clamped to the range that a record supports")
    func clamping() {
        var limits = XMLLimits(depth: 0, elementBytes: .max, attributesPerElement: -1, nameBytes: .max)
        #expect(limits.depth == 1)
        #expect(limits.elementBytes == 1 << 30)
        #expect(limits.attributesPerElement == 1)
        #expect(limits.nameBytes == 32_767)
        limits.depth = .max
        #expect(limits.depth == 65_535)
    }

    @Test("Limits may be raised after authentication")
    func raised() throws {
        var parser = XMLStreamParser(limits: Self.limits)
        parser.append(Self.header)
        _ = try parser.next()
        parser.limits = .default
        parser.append(Array("<a>\(String(repeating: "x", count: 5000))</a>".utf8))
        guard case .element(let element)? = try parser.next() else {
            Issue.record("no element")
            return
        }
        #expect(element.text.utf8.count == 5000)
    }
}
