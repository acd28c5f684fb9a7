import Testing
import XMLStreaming

/// A part of a stream and its expected result.
struct XMLFixture: Sendable, CustomTestStringConvertible {
    var xml: [UInt8]
    /// The elements as the writer writes them.
    var elements: [String] = []
    var error: XMLError.Code?

    init(_ xml: String, gives elements: String...) {
        self.xml = Array(xml.utf8)
        self.elements = elements
    }

    init(_ xml: String, fails error: XMLError.Code) {
        self.xml = Array(xml.utf8)
        self.error = error
    }

    init(_ before: String, _ bytes: [UInt8], _ after: String, fails error: XMLError.Code) {
        xml = Array(before.utf8) + bytes + Array(after.utf8)
        self.error = error
    }

    var testDescription: String { String(decoding: xml, as: UTF8.self) }
}

@Suite("Strictness")
struct XMLStrictnessTests {
    static let header = "<s:stream xmlns:s='http://etherx.jabber.org/streams' xmlns='c' xmlns:o='outer'>"

    static let accepted: [XMLFixture] = [
        // Tags and attributes
        XMLFixture("<a/>", gives: "<a xmlns='c'/>"),
        XMLFixture("<a></a>", gives: "<a xmlns='c'/>"),
        XMLFixture("<a  \n\t\r b = \"1\"\nc\t=\r'2' ></a \n>", gives: "<a xmlns='c' b='1' c='2'/>"),
        XMLFixture("<a b='>\"'/>", gives: "<a xmlns='c' b='&gt;&quot;'/>"),
        XMLFixture("<a b=''/>", gives: "<a xmlns='c' b=''/>"),
        XMLFixture("<a-.9_/>", gives: "<a-.9_ xmlns='c'/>"),
        XMLFixture("<_/>", gives: "<_ xmlns='c'/>"),
        XMLFixture("<é中·/>", gives: "<é中· xmlns='c'/>"),
        XMLFixture("<a é='1' 中='2' \u{10400}='3'/>", gives: "<a xmlns='c' é='1' 中='2' \u{10400}='3'/>"),
        XMLFixture("<a><b><c/></b></a>", gives: "<a xmlns='c'><b><c/></b></a>"),
        // Between elements
        XMLFixture(" \n\t\r<a/> \n <b/>\n", gives: "<a xmlns='c'/>", "<b xmlns='c'/>"),
        // Text
        XMLFixture("<a> \n\t</a>", gives: "<a xmlns='c'> \n\t</a>"),
        XMLFixture("<a>]]&gt; ]] > ]</a>", gives: "<a xmlns='c'>]]&gt; ]] &gt; ]</a>"),
        XMLFixture("<a>x]</a>", gives: "<a xmlns='c'>x]</a>"),
        XMLFixture("<a>x]]</a>", gives: "<a xmlns='c'>x]]</a>"),
        XMLFixture("<a>'\"></a>", gives: "<a xmlns='c'>'\"&gt;</a>"),
        XMLFixture("<a>x\r\ny\rz\r\r\n</a>", gives: "<a xmlns='c'>x\ny\nz\n\n</a>"),
        XMLFixture("<a>1234567\r\n</a>", gives: "<a xmlns='c'>1234567\n</a>"),
        XMLFixture(
            "<a>\u{7F}\u{85}\u{FFFD}\u{10FFFF}é中😀</a>", gives: "<a xmlns='c'>\u{7F}\u{85}\u{FFFD}\u{10FFFF}é中😀</a>"),
        // Attribute values
        XMLFixture("<a b='x\r\ny\rz\tw\nv'/>", gives: "<a xmlns='c' b='x y z w v'/>"),
        XMLFixture("<a b='&#9;&#xA;&#13;&#x20;'/>", gives: "<a xmlns='c' b='&#9;&#10;&#13; '/>"),
        XMLFixture("<a b=']]>'/>", gives: "<a xmlns='c' b=']]&gt;'/>"),
        // References
        XMLFixture("<a>&lt;&gt;&amp;&apos;&quot;</a>", gives: "<a xmlns='c'>&lt;&gt;&amp;'\"</a>"),
        XMLFixture("<a>&#65;&#x42;&#x4e2d;&#x1F600;&#x10fFfF;</a>", gives: "<a xmlns='c'>AB中😀\u{10FFFF}</a>"),
        XMLFixture("<a>&#0000000000000000000000065;</a>", gives: "<a xmlns='c'>A</a>"),
        XMLFixture("<a>&amp;lt;</a>", gives: "<a xmlns='c'>&amp;lt;</a>"),
        XMLFixture("<a>&#13;</a>", gives: "<a xmlns='c'>&#13;</a>"),
        // CDATA
        XMLFixture("<a><![CDATA[<&]>]]]]></a>", gives: "<a xmlns='c'>&lt;&amp;]&gt;]]</a>"),
        XMLFixture("<a><![CDATA[]]></a>", gives: "<a xmlns='c'/>"),
        XMLFixture("<a>x<![CDATA[\r\n&amp;]]>y</a>", gives: "<a xmlns='c'>x\n&amp;amp;y</a>"),
        // Namespaces
        XMLFixture("<a xmlns='x'><b/><c xmlns=''><d/></c></a>", gives: "<a xmlns='x'><b/><c xmlns=''><d/></c></a>"),
        XMLFixture("<o:a><b/></o:a>", gives: "<a xmlns='outer'><b xmlns='c'/></a>"),
        XMLFixture("<p:a xmlns:p='x'><p:b xmlns:p='y'/><p:c/></p:a>", gives: "<a xmlns='x'><b xmlns='y'/><c/></a>"),
        XMLFixture("<a xmlns:p='x' p:k='1' k='2'/>", gives: "<a xmlns='c' xmlns:ns1='x' ns1:k='1' k='2'/>"),
        XMLFixture("<a p:k='1' xmlns:p='x'/>", gives: "<a xmlns='c' xmlns:ns1='x' ns1:k='1'/>"),
        XMLFixture("<a o:k='1'/>", gives: "<a xmlns='c' xmlns:ns1='outer' ns1:k='1'/>"),
        XMLFixture(
            "<a xml:lang='en' xml:space='preserve'/>", gives: "<a xmlns='c' xml:lang='en' xml:space='preserve'/>"),
        XMLFixture(
            "<a xmlns:xml='http://www.w3.org/XML/1998/namespace' xml:lang='en'/>", gives: "<a xmlns='c' xml:lang='en'/>"
        ),
        XMLFixture("<a xmlns='x&amp;y'/>", gives: "<a xmlns='x&amp;y'/>"),
        XMLFixture("<a xmlns='x'><b xmlns='x'/></a>", gives: "<a xmlns='x'><b/></a>"),
        XMLFixture("<xml:a/>", gives: "<xml:a/>"),
        // Forbidden, but sent by servers with the same meaning as the lines above.
        XMLFixture("<a xmlns='http://www.w3.org/XML/1998/namespace'><b/></a>", gives: "<xml:a><xml:b/></xml:a>"),
        XMLFixture(
            "<a xmlns:p='http://www.w3.org/XML/1998/namespace' p:space='x'/>", gives: "<a xmlns='c' xml:space='x'/>"),
        XMLFixture(
            "<o:a o:k='1'><o:b o:k='2'/></o:a>",
            gives: "<a xmlns='outer' xmlns:ns1='outer' ns1:k='1'><b xmlns:ns1='outer' ns1:k='2'/></a>"),
        XMLFixture("<a xmlns:xmlfoo='u' xmlfoo:b='1'/>", gives: "<a xmlns='c' xmlns:ns1='u' ns1:b='1'/>"),
        XMLFixture("<a xmlnsb='1'/>", gives: "<a xmlns='c' xmlnsb='1'/>"),
    ]

    static let rejected: [XMLFixture] = [
        // Tags
        XMLFixture("< a/>", fails: .notWellFormed),
        XMLFixture("<1a/>", fails: .notWellFormed),
        XMLFixture("<-a/>", fails: .notWellFormed),
        XMLFixture("<.a/>", fails: .notWellFormed),
        XMLFixture("<a$/>", fails: .notWellFormed),
        XMLFixture("<·a/>", fails: .notWellFormed),
        XMLFixture("<a×/>", fails: .notWellFormed),
        XMLFixture("<a\u{37E}/>", fails: .notWellFormed),
        XMLFixture("<a\u{2000}b/>", fails: .notWellFormed),
        XMLFixture("<a\u{F0000}/>", fails: .notWellFormed),
        XMLFixture("<a\u{FFFF}/>", fails: .invalidCharacter),
        XMLFixture("<a/ >", fails: .notWellFormed),
        XMLFixture("<a / >", fails: .notWellFormed),
        XMLFixture("<a/b>", fails: .notWellFormed),
        XMLFixture("<></>", fails: .notWellFormed),
        XMLFixture("<a><>", fails: .notWellFormed),
        XMLFixture("<a></b>", fails: .mismatchedEndTag),
        XMLFixture("<a></ab>", fails: .mismatchedEndTag),
        XMLFixture("<ab></a>", fails: .mismatchedEndTag),
        XMLFixture("<a></A>", fails: .mismatchedEndTag),
        XMLFixture("<a></>", fails: .notWellFormed),
        XMLFixture("<a></ a>", fails: .notWellFormed),
        XMLFixture("<a></a b='1'>", fails: .notWellFormed),
        XMLFixture("<a></a/>", fails: .notWellFormed),
        XMLFixture("<a><b></a></b>", fails: .mismatchedEndTag),
        XMLFixture("<p:a xmlns:p='x' xmlns:q='x'></q:a>", fails: .mismatchedEndTag),
        XMLFixture("</a>", fails: .mismatchedEndTag),
        // Attributes
        XMLFixture("<a b/>", fails: .notWellFormed),
        XMLFixture("<a b=/>", fails: .notWellFormed),
        XMLFixture("<a b=1/>", fails: .notWellFormed),
        XMLFixture("<a b='1'c='2'/>", fails: .notWellFormed),
        XMLFixture("<a ='1'/>", fails: .notWellFormed),
        XMLFixture("<a 1='1'/>", fails: .notWellFormed),
        XMLFixture("<a b='<'/>", fails: .notWellFormed),
        XMLFixture("<a b='1\"/>\"<", fails: .notWellFormed),
        XMLFixture("<a b='1' b='1'/>", fails: .duplicateAttribute),
        XMLFixture("<a b='1' c='' b=''/>", fails: .duplicateAttribute),
        XMLFixture("<a attribute1='1' attribute1='1'/>", fails: .duplicateAttribute),
        XMLFixture("<a xml:lang='1' xml:lang='1'/>", fails: .duplicateAttribute),
        XMLFixture("<a xmlns:p='x' xmlns:q='x' p:k='1' q:k='1'/>", fails: .duplicateExpandedName),
        XMLFixture("<a xmlns:p='outer' p:k='1' o:k='1'/>", fails: .duplicateExpandedName),
        XMLFixture("<a xmlns:p='x'><b xmlns:q='x' p:k='1' q:k='1'/></a>", fails: .duplicateExpandedName),
        XMLFixture(
            "<a xml:k='1' p:k='1' xmlns:p='http://www.w3.org/XML/1998/namespace'/>", fails: .duplicateExpandedName),
        XMLFixture("<a xmlns='x' xmlns='x'/>", fails: .duplicateAttribute),
        XMLFixture("<a xmlns:p='x' xmlns:p='x'/>", fails: .duplicateAttribute),
        XMLFixture("<a b='&#1;'/>", fails: .invalidCharacter),
        XMLFixture("<a b='\u{1}'/>", fails: .invalidCharacter),
        XMLFixture("<a b='\u{FFFE}'/>", fails: .invalidCharacter),
        // Text
        XMLFixture("<a>]]></a>", fails: .notWellFormed),
        XMLFixture("<a>]]]></a>", fails: .notWellFormed),
        XMLFixture("<a>abcdefg]]></a>", fails: .notWellFormed),
        XMLFixture("<a>\u{0}</a>", fails: .invalidCharacter),
        XMLFixture("<a>\u{B}</a>", fails: .invalidCharacter),
        XMLFixture("<a>\u{1F}</a>", fails: .invalidCharacter),
        XMLFixture("<a>\u{FFFE}</a>", fails: .invalidCharacter),
        XMLFixture("<a>\u{FFFF}</a>", fails: .invalidCharacter),
        XMLFixture("<a><![CDATA[\u{1}]]></a>", fails: .invalidCharacter),
        XMLFixture("<a/>text", fails: .textOutsideElement),
        XMLFixture("text<a/>", fails: .textOutsideElement),
        XMLFixture("\u{0}<a/>", fails: .textOutsideElement),
        XMLFixture("\u{A0}<a/>", fails: .textOutsideElement),
        XMLFixture("&#32;<a/>", fails: .textOutsideElement),
        XMLFixture("<![CDATA[ ]]><a/>", fails: .textOutsideElement),
        // UTF-8
        XMLFixture("<a>", [0x80], "</a>", fails: .invalidUTF8),
        XMLFixture("<a>", [0xC3], "</a>", fails: .invalidUTF8),
        XMLFixture("<a>", [0xC0, 0xAF], "</a>", fails: .invalidUTF8),
        XMLFixture("<a>", [0xC1, 0xBF], "</a>", fails: .invalidUTF8),
        XMLFixture("<a>", [0xE0, 0x9F, 0xBF], "</a>", fails: .invalidUTF8),
        XMLFixture("<a>", [0xED, 0xA0, 0x80], "</a>", fails: .invalidUTF8),
        XMLFixture("<a>", [0xE4, 0xB8], "</a>", fails: .invalidUTF8),
        XMLFixture("<a>", [0xF0, 0x8F, 0xBF, 0xBF], "</a>", fails: .invalidUTF8),
        XMLFixture("<a>", [0xF4, 0x90, 0x80, 0x80], "</a>", fails: .invalidUTF8),
        XMLFixture("<a>", [0xF0, 0x9F, 0x98], "</a>", fails: .invalidUTF8),
        XMLFixture("<a>", [0xF5, 0x80, 0x80, 0x80], "</a>", fails: .invalidUTF8),
        XMLFixture("<a>", [0xFF], "</a>", fails: .invalidUTF8),
        XMLFixture("<a b='", [0xC3], "'/>", fails: .invalidUTF8),
        XMLFixture("<a", [0xC3], "/>", fails: .invalidUTF8),
        XMLFixture("<a ", [0xE9], "='1'/>", fails: .invalidUTF8),
        XMLFixture("<a><![CDATA[", [0xC3], "]]></a>", fails: .invalidUTF8),
        // References
        XMLFixture("<a>&</a>", fails: .notWellFormed),
        XMLFixture("<a>&;</a>", fails: .notWellFormed),
        XMLFixture("<a>& amp;</a>", fails: .notWellFormed),
        XMLFixture("<a>&amp</a>", fails: .notWellFormed),
        XMLFixture("<a>&#;</a>", fails: .notWellFormed),
        XMLFixture("<a>&#x;</a>", fails: .notWellFormed),
        XMLFixture("<a>&#X41;</a>", fails: .notWellFormed),
        XMLFixture("<a>&#4a;</a>", fails: .notWellFormed),
        XMLFixture("<a>&#65</a>", fails: .notWellFormed),
        XMLFixture("<a>&# 65;</a>", fails: .notWellFormed),
        XMLFixture("<a>&#0;</a>", fails: .invalidCharacter),
        XMLFixture("<a>&#x1F;</a>", fails: .invalidCharacter),
        XMLFixture("<a>&#xD800;</a>", fails: .invalidCharacter),
        XMLFixture("<a>&#xFFFE;</a>", fails: .invalidCharacter),
        XMLFixture("<a>&#x110000;</a>", fails: .invalidCharacter),
        XMLFixture("<a>&#99999999999999999999;</a>", fails: .invalidCharacter),
        XMLFixture("<a>&nbsp;</a>", fails: .restrictedXML),
        XMLFixture("<a>&AMP;</a>", fails: .restrictedXML),
        XMLFixture("<a b='&unknown;'/>", fails: .restrictedXML),
        // Forbidden by RFC 6120 §11.1
        XMLFixture("<!-- c --><a/>", fails: .restrictedXML),
        XMLFixture("<a><!-- c --></a>", fails: .restrictedXML),
        XMLFixture("<?pi x?><a/>", fails: .restrictedXML),
        XMLFixture("<a><?pi x?></a>", fails: .restrictedXML),
        XMLFixture("<?xml version='1.0'?><a/>", fails: .restrictedXML),
        XMLFixture("<!DOCTYPE a><a/>", fails: .restrictedXML),
        XMLFixture("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", fails: .restrictedXML),
        XMLFixture("<a><!ELEMENT b></a>", fails: .restrictedXML),
        XMLFixture("<a><![cdata[x]]></a>", fails: .notWellFormed),
        XMLFixture("<a><![INCLUDE[x]]></a>", fails: .notWellFormed),
        // Namespaces
        XMLFixture("<p:a/>", fails: .unboundPrefix),
        XMLFixture("<a p:b='1'/>", fails: .unboundPrefix),
        XMLFixture("<a><b xmlns:p='x'/><p:c/></a>", fails: .unboundPrefix),
        XMLFixture("<xmlns:a/>", fails: .unboundPrefix),
        XMLFixture("<:a/>", fails: .notWellFormed),
        XMLFixture("<a:/>", fails: .notWellFormed),
        XMLFixture("<o:a:b/>", fails: .notWellFormed),
        XMLFixture("<o:1/>", fails: .notWellFormed),
        XMLFixture("<a :b='1'/>", fails: .notWellFormed),
        XMLFixture("<a xmlns:='x'/>", fails: .notWellFormed),
        XMLFixture("<a xmlns:p=''/>", fails: .invalidNamespaceDeclaration),
        XMLFixture("<a xmlns:xml='x'/>", fails: .invalidNamespaceDeclaration),
        XMLFixture("<a xmlns:xmlns='x'/>", fails: .invalidNamespaceDeclaration),
        XMLFixture("<a xmlns:xmlns='http://www.w3.org/2000/xmlns/'/>", fails: .invalidNamespaceDeclaration),
        XMLFixture("<a xmlns='http://www.w3.org/2000/xmlns/'/>", fails: .invalidNamespaceDeclaration),
        XMLFixture("<a xmlns:p='http://www.w3.org/2000/xmlns/'/>", fails: .invalidNamespaceDeclaration),
    ]

    static let next = XMLFixture("<next/>", gives: "<next xmlns='c'/>")

    /// In one piece, byte by byte, three bytes at a time, and joined to the element that follows.
    private func check(_ fixture: XMLFixture) {
        let start = Array(Self.header.utf8)
        let end = Array("</s:stream>".utf8)
        let alone = start + fixture.xml + (fixture.error == nil ? end : Self.next.xml)
        let whole = Reading(whole: alone)
        #expect(whole.error?.code == fixture.error)
        if fixture.error == nil { #expect(whole.elements.map(\.description) == fixture.elements) }
        #expect(Reading(alone, pieces: [1]) == whole)
        #expect(Reading(alone, pieces: [start.count, 3]) == whole)
        let glued = Reading(whole: start + Self.next.xml + fixture.xml + Self.next.xml + end)
        #expect(glued.error?.code == fixture.error)
        if fixture.error == nil {
            #expect(glued.elements.map(\.description) == Self.next.elements + fixture.elements + Self.next.elements)
            #expect(glued.events.last == .streamClosed)
        }
    }

    @Test("XML that XMPP allows is accepted", arguments: accepted)
    func accept(fixture: XMLFixture) { check(fixture) }

    @Test("XML that is malformed or forbidden is rejected with a specific error", arguments: rejected)
    func reject(fixture: XMLFixture) { check(fixture) }

    @Test(
        "The prolog of a stream consists of a declaration at the beginning and nothing else",
        arguments: [
            ("<?xml version='1.0'?>", nil), ("<?xml version=\"1.0\" encoding='utf-8' standalone='yes' ?>\n", nil),
            ("", nil), (" \n", nil), ("<?xml version='1.0' encoding='UTF-8'?>", nil),
            (" <?xml version='1.0'?>", .restrictedXML),
            ("<?xml version='1.0'?><?xml version='1.0'?>", .restrictedXML),
            ("<?xml version='1.0' encoding='ISO-8859-1'?>", .unsupportedEncoding),
            ("<?xml?>", .restrictedXML), ("<?xml ?>", .notWellFormed), ("<?xml version='2.0'?>", .notWellFormed),
            ("<?xml encoding='UTF-8'?>", .notWellFormed), ("<?xml version='1.0'encoding='UTF-8'?>", .notWellFormed),
            ("<?xml version='1.0' standalone='maybe'?>", .notWellFormed), ("<?xml version='1.0?>", .notWellFormed),
            ("<?xml-stylesheet href='x'?>", .restrictedXML), ("<?XML version='1.0'?>", .restrictedXML),
            ("<!DOCTYPE x>", .restrictedXML), ("<!-- x -->", .restrictedXML), ("x", .textOutsideElement),
            ("\u{FEFF}", .textOutsideElement),
        ] as [(String, XMLError.Code?)])
    func prolog(prolog: String, error: XMLError.Code?) {
        let bytes = Array((prolog + Self.header + "<a/>").utf8)
        let whole = Reading(whole: bytes)
        #expect(whole.error?.code == error)
        #expect(whole.elements.count == (error == nil ? 1 : 0))
        #expect(Reading(bytes, pieces: [1]) == whole)
    }

    @Test(
        "The end of a stream",
        arguments: [
            ("</s:stream>", 2, nil), ("</s:stream >\n \n", 2, nil), ("</stream>", 1, .mismatchedEndTag),
            ("</s:stream><a/>", 2, .notWellFormed), ("</s:stream>x", 2, .textOutsideElement),
            ("</s:stream></s:stream>", 2, .notWellFormed),
        ] as [(String, Int, XMLError.Code?)])
    func end(end: String, events: Int, error: XMLError.Code?) {
        let bytes = Array((Self.header + end).utf8)
        let whole = Reading(whole: bytes)
        #expect(whole.events.count == events)
        #expect(whole.error?.code == error)
        #expect(Reading(bytes, pieces: [1]) == whole)
    }

    @Test("An empty stream element opens and closes at once")
    func emptyStream() {
        let reading = Reading(whole: Array(Self.header.utf8.dropLast()) + Array("/>".utf8))
        #expect(reading.events.count == 2)
        #expect(reading.events.last == .streamClosed)
    }

    @Test("An error has its position, and persists")
    func errorStays() {
        var parser = XMLStreamParser()
        parser.append(Array((Self.header + "<a/> <b></c>").utf8))
        _ = try? parser.next()
        _ = try? parser.next()
        let error = XMLError(.mismatchedEndTag, at: Self.header.utf8.count + 10)
        #expect(throws: error) { try parser.next() }
        parser.append(Array("<a/>".utf8))
        #expect(throws: error) { try parser.next() }
        #expect(error.streamErrorCondition == "not-well-formed")
        #expect(error.description == "An end tag does not match the open element. (byte \(error.offset))")
    }

    @Test(
        "Stand-alone documents contain one element",
        arguments: [
            ("", .incompleteDocument), ("<a", .incompleteDocument), ("<a>", .incompleteDocument),
            ("<a/><b/>", .notWellFormed), ("<a/>x", .textOutsideElement), ("</a>", .mismatchedEndTag),
            ("<a/>\n", nil), ("<?xml version='1.0'?>\n<a/>", nil), ("<s:a/>", .unboundPrefix),
            ("<a><?xml version='1.0'?></a>", .restrictedXML), ("<a><?xml version='1.0'?><b/>", .restrictedXML),
        ] as [(String, XMLError.Code?)])
    func document(document: String, expected: XMLError.Code?) {
        do {
            _ = try XMLElement(parsing: document)
            #expect(expected == nil)
        } catch {
            #expect(error.code == expected)
        }
    }
}
