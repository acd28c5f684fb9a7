import Testing

@testable import XMLStreaming

/// What is well-formed below the stream element ends no stream: it is read, or skipped and told.
@Suite("Unreadable elements")
struct UnreadableElementTests {
    static let header = "<s:stream xmlns:s='http://etherx.jabber.org/streams' xmlns='jabber:client' xmlns:o='outer'>"
    static let limits = XMLLimits(
        depth: 4, elementBytes: 600, attributesPerElement: 6, nameBytes: 20, namespaceBindings: 2, namespaceBytes: 60)

    /// Whole, byte by byte, in threes, and glued between two others.
    private func read(_ xml: String, sourceLocation: SourceLocation = #_sourceLocation) -> Reading {
        let bytes = Array((Self.header + xml + "<next/>").utf8)
        let whole = Reading(whole: bytes, limits: Self.limits, skips: true)
        for pieces in [[1], [Self.header.utf8.count, 3], [70, 1000]] {
            #expect(
                Reading(bytes, pieces: pieces, limits: Self.limits, skips: true) == whole,
                sourceLocation: sourceLocation)
        }
        return whole
    }

    private static let head = "<message id='i&lt;' to='a@b' from='c@d/&#x4e2d;' type='chat'"
    private static let long = String(repeating: "x", count: 700)

    static let skippedInside: [(String, XMLError.Code)] = [
        ("<a><b><c><d/></c></b></a>", .tooDeep),
        (String(repeating: "<a>", count: 5000) + String(repeating: "</a>", count: 5000), .tooDeep),
        ("<a>\(long)</a>", .elementTooLarge), ("<a k='\(long)'/>", .elementTooLarge), (long, .elementTooLarge),
        ("<![CDATA[\(long)]]>", .elementTooLarge), ("<a \(String(repeating: " ", count: 700))/>", .elementTooLarge),
        ("<a></a\(String(repeating: "\n", count: 700))>", .elementTooLarge),
        ("<a>" + String(repeating: "&lt;]]&#x4e2d;中", count: 100) + "</a>", .elementTooLarge),
        ("<a k='" + String(repeating: "&lt;]]>&#x4e2d;中", count: 100) + "'/>", .elementTooLarge),
        ("<a a='' b='' c='' d='' e='' f='' g=''/>", .tooManyAttributes),
        ("<abcdefghijklmnopqrstuvwxyz/>", .nameTooLong), ("<a abcdefghijklmnopqrstuvwxyz='1'/>", .nameTooLong),
        ("<a xmlns:p='x'><b xmlns:q='x' xmlns:r='x'/></a>", .tooManyNamespaces),
        ("<a xmlns='\(long.prefix(61))'/>", .namespaceTooLong),
        ("<a xmlns:p='\(long.prefix(61))'/>", .namespaceTooLong),
        ("<p:a/>", .unboundPrefix), ("<a p:k='1'><b/></a>", .unboundPrefix), ("<xmlns:a/>", .unboundPrefix),
        ("<a xmlns:p='o' xmlns:q='o' p:k='1' q:k='1'/>", .duplicateExpandedName),
        ("<a xmlns:p=''/>", .invalidNamespaceDeclaration), ("<a xmlns:xml='x'/>", .invalidNamespaceDeclaration),
        ("<a xmlns='http://www.w3.org/2000/xmlns/'>x</a>", .invalidNamespaceDeclaration),
    ]

    @Test("an element beyond a limit or against the rules of namespaces is skipped and named", arguments: skippedInside)
    func skipped(content: String, code: XMLError.Code) throws {
        let xml = Self.head + ">" + content + "</message>"
        let reading = read(xml)
        #expect(reading.error == nil)
        #expect(reading.elements.map(\.localName) == ["next"])
        let element = try #require(reading.unreadable.first)
        #expect(reading.unreadable.count == 1)
        #expect(element.reason.code == code)
        #expect(element.name == XMLName("message", "jabber:client"))
        #expect(element.id == "i<" && element.to == "a@b" && element.from == "c@d/中" && element.type == "chat")
        #expect(element.byteCount == xml.utf8.count)
        let tag = element.startTag
        #expect(tag["id"] == "i<" && tag["from"] == "c@d/中" && tag.children.isEmpty)
    }

    @Test(
        "where the fault is in the stanza's own tag, its attributes are known all the same",
        arguments: [
            (" a='' b='' c=''>x</message>", .tooManyAttributes), (" p:k='&amp;'><p:a/></message>", .unboundPrefix),
            (" p:k='&amp;'/>", .unboundPrefix), (" abcdefghijklmnopqrstuvwxyz='&lt;'/>", .nameTooLong),
            (" a='\(long)'><b></b></message>", .elementTooLarge),
            (" xmlns:p='outer' o:k='1' p:k='2'/>", .tooManyAttributes),
        ] as [(String, XMLError.Code)])
    func ownTag(rest: String, code: XMLError.Code) throws {
        let reading = read(Self.head + rest)
        #expect(reading.error == nil)
        #expect(reading.elements.map(\.localName) == ["next"])
        let element = try #require(reading.unreadable.first)
        #expect(element.reason.code == code)
        #expect(element.name == XMLName("message", "jabber:client"))
        #expect(element.id == "i<" && element.to == "a@b" && element.from == "c@d/中" && element.type == "chat")
        #expect(element.byteCount == Self.head.utf8.count + rest.utf8.count)
        #expect(element.firstChild == nil)
    }

    @Test("attributes behind the fault count, and so does a namespace of the stanza's own")
    func behind() throws {
        for (xml, namespace) in [
            ("<iq q='' r='' s='' t='' u='' v='' w='' id='7' xmlns='own' type='get'/>", "own"),
            ("<o:iq q='' r='' s='' t='' u='' v='' w='' id='7' type='get'/>", "outer"),
            ("<p:iq q='' r='' s='' t='' u='' v='' w='' id='7' xmlns:p='own' type='get'/>", "own"),
            ("<p:iq xmlns:p='own' id='7' type='get' z:a=''/>", "own"),
        ] {
            let element = try #require(read(xml).unreadable.first)
            #expect(element.name == XMLName("iq", namespace) && element.id == "7" && element.type == "get")
        }
    }

    @Test("what an answer would repeat is bounded")
    func bounds() throws {
        let limits = XMLLimits(depth: 1, elementBytes: 1 << 20, attributesPerElement: 9, nameBytes: 20)
        for (length, isKept) in [(1024, true), (1025, false)] {
            for rest in ["><a/></iq>", " abcdefghijklmnopqrstuvwxyz=''/>"] {
                let id = String(repeating: "&quot;", count: length)
                let long = String(repeating: "y", count: length + 2047)
                let xml = Self.header + "<iq id='\(id)' from='\(long)' to='\(long)' type='\(id)'" + rest
                let element = try #require(
                    Reading(whole: Array(xml.utf8), limits: limits, skips: true).unreadable.first)
                #expect(element.id?.utf8.count == (isKept ? 1024 : nil))
                #expect(element.type?.utf8.count == (isKept ? 1024 : nil))
                #expect(element.from?.utf8.count == (isKept ? 3071 : nil))
                #expect(element.to?.utf8.count == (isKept ? 3071 : nil))
            }
        }
    }

    @Test("the first child says what the stanza was about")
    func firstChild() throws {
        let xml = "<message> <o:result queryid='q&amp;' id='1' o:z=''><b><c><d/></c></b></o:result><x/></message>"
        let element = try #require(read(xml).unreadable.first)
        let expected = XMLElement(XMLName("result", "outer")) {
            $0.attribute("queryid", "q&")
            $0.attribute("id", "1")
        }
        #expect(element.firstChild == expected)
        #expect(read("<message><a k='1'/><p:b/></message>").unreadable.first?.firstChild?["k"] == "1")
        #expect(read("<message>text<p:b/></message>").unreadable.first?.firstChild == nil)
    }

    @Test(
        "what breaks the grammar of XML ends the stream, also inside of what is skipped",
        arguments: [
            ("<a b='<'/>", .notWellFormed), ("<a>]]></a>", .notWellFormed), ("<a>&nbsp;</a>", .restrictedXML),
            ("<a>&#0;</a>", .invalidCharacter), ("<a k='&#xD800;'/>", .invalidCharacter), ("<a>&x</a>", .notWellFormed),
            ("<a>\u{1}</a>", .invalidCharacter), ("<!-- -->", .restrictedXML), ("<?x?>", .restrictedXML),
            ("<!DOCTYPE a>", .restrictedXML), ("<![CDAT[]]>", .notWellFormed), ("<1/>", .notWellFormed),
            ("<a b=1/>", .notWellFormed), ("<a b='1'c='2'/>", .notWellFormed), ("<a/ >", .notWellFormed),
            ("<a b></a>", .notWellFormed), ("<a:b:c/>", .notWellFormed), ("<a:/>", .notWellFormed),
            ("<a>\u{FFFE}</a>", .invalidCharacter), ("<a×/>", .notWellFormed),
            ("<a k='\u{FFFF}'/>", .invalidCharacter), ("<![CDATA[\u{2}]]>", .invalidCharacter),
            ("<a>]]]></a>", .notWellFormed), ("<a>&#;</a>", .notWellFormed), ("<a>&#xg;</a>", .notWellFormed),
        ] as [(String, XMLError.Code)])
    func illFormed(content: String, code: XMLError.Code) {
        for before in ["<message>", "<message><p:a/>", "<message a='' b='' c='' d='' e='' f='' g=''>"] {
            let reading = read(before + content + "</message>")
            #expect(reading.error?.code == code)
            #expect(reading.unreadable.isEmpty && reading.elements.isEmpty)
            if before == "<message>" { continue }
            let bytes = Array((Self.header + before + content).utf8)
            #expect((reading.error?.offset ?? 0) <= bytes.count)
            #expect((reading.error?.offset ?? 0) >= bytes.count - content.utf8.count)
        }
    }

    @Test(
        "where the grammar is broken inside of an element, its start tag says whose it is",
        arguments: [
            ("<body>x</wrong>", "<body>x</", .mismatchedEndTag), ("<a b='<'/>", "<a b='", .notWellFormed),
            ("<body>&#0;", "<body>", .invalidCharacter), ("<p:a/>\u{1}", "<p:a/>", .invalidCharacter),
            ("<a a='' b='' c='' d='' e='' f='' g=''/>]]>", "<a", .notWellFormed), ("</wrong>", "</", .mismatchedEndTag),
        ] as [(String, String, XMLError.Code)])
    func sender(content: String, before: String, code: XMLError.Code) throws {
        let reading = read(Self.head + ">" + content + "</message>")
        let element = try #require(reading.broken)
        #expect(element.reason == reading.error && element.reason.code == code)
        #expect(element.name == XMLName("message", "jabber:client"))
        #expect(element.id == "i<" && element.to == "a@b" && element.from == "c@d/中" && element.type == "chat")
        #expect(element.byteCount >= Self.head.utf8.count + before.utf8.count)
        #expect(element.byteCount <= Self.head.utf8.count + 1 + content.utf8.count)
    }

    @Test("bytes of no element, and of one whose start tag is broken, are nobody's")
    func nobody() {
        for xml in [
            "x", "</wrong>", "<message from='a@b' b='<'/>", "<message from='a@b' a='' a=''>", "\u{0}", "<!-- -->",
        ] {
            let reading = read("<message from='c@d'>y</message>" + xml)
            #expect(reading.error != nil && reading.broken == nil)
        }
        var parser = XMLStreamParser(limits: Self.limits)
        parser.append(Array((Self.header + "<message from='c@d'></x>").utf8))
        #expect(throws: XMLError.self) { while try parser.next() != nil {} }
        #expect(parser.brokenElement?.from == "c@d")
        parser.reset()
        #expect(parser.brokenElement == nil)
    }

    @Test("bytes that are no UTF-8 end the stream, also inside of what is skipped")
    func invalidUTF8() {
        for sequence: [UInt8] in [[0x80], [0xC0, 0xAF], [0xE4, 0xB8], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            for (before, after) in [("<a>", "</a>"), ("<a k='", "'/>"), ("<a", "/>"), ("<![CDATA[", "]]>")] {
                let bytes = Array((Self.header + "<message><p:a/>" + before).utf8) + sequence + Array(after.utf8)
                let whole = Reading(whole: bytes, limits: Self.limits, skips: true)
                #expect(whole.error?.code == .invalidUTF8)
                #expect(Reading(bytes, pieces: [1], limits: Self.limits, skips: true) == whole)
            }
        }
    }

    @Test("nothing is skipped before the peer is known, in a header, or between elements")
    func strictElsewhere() {
        let bytes = Array((Self.header + "<p:a/><next/>").utf8)
        #expect(Reading(whole: bytes, limits: Self.limits).error?.code == .unboundPrefix)
        for start in [
            "<p:stream>", "<stream a='' b='' c='' d='' e='' f='' g=''>", Self.header + "x", Self.header + "</p:stream>",
        ] {
            let reading = Reading(whole: Array(start.utf8), limits: Self.limits, skips: true)
            #expect(reading.error != nil && reading.unreadable.isEmpty)
        }
        let padded = Array((Self.header + "</s:stream" + String(repeating: " ", count: 700)).utf8)
        #expect(Reading(whole: padded, limits: Self.limits, skips: true).error != nil)
    }

    @Test("an element is skipped in constant memory, whatever its length and depth")
    func constantMemory() throws {
        let limits = XMLLimits(depth: 8, elementBytes: 4096, attributesPerElement: 8, nameBytes: 64)
        let pieces = [
            "<a><b k='v'>", "x]] &amp; 中", "<c k='\(String(repeating: "v", count: 900))'/>", "</b>",
            "<![CDATA[<]]>", "<p:q/>",
        ]
        var parser = XMLStreamParser(limits: limits)
        parser.skipsUnreadableElements = true
        parser.append(Array((Self.header + "<message id='1'>").utf8))
        _ = try parser.next()
        var count = "<message id='1'>".utf8.count
        var largest = 0
        for _ in 0..<20_000 {
            for piece in pieces {
                parser.append(Array(piece.utf8))
                count += piece.utf8.count
                #expect(try parser.next() == nil)
                if count > 2 * limits.elementBytes { largest = max(largest, parser.unconsumedByteCount) }
            }
        }
        #expect(largest <= 3, "only a character that is cut off may wait")
        let end = String(repeating: "</a>", count: 20_000) + "</message>"
        parser.append(Array((end + "<next/>").utf8))
        guard case .unreadable(let element)? = try parser.next() else {
            Issue.record("not skipped")
            return
        }
        #expect(element.id == "1" && element.byteCount == count + end.utf8.count)
        guard case .element(let next)? = try parser.next() else {
            Issue.record("what follows is not read")
            return
        }
        #expect(next.localName == "next")
    }
}
