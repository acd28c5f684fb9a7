import Testing
import XMLStreaming

@Suite("Element")
struct XMLElementTests {
    @Test("Mixed content has its order and whitespace")
    func mixedContent() throws {
        let element = try XMLElement(parsing: "<p xmlns='x'><b>a</b> <i>b</i>c<![CDATA[<d>]]>&lt;</p>")
        let nodes = Array(element.nodes)
        #expect(nodes.count == 4)
        #expect(nodes[1] == .text(" "))
        #expect(nodes[3] == .text("c<d><"))
        #expect(element.text == " c<d><")
        #expect(element.children.map(\.text) == ["a", "b"])
    }

    @Test("Equality compares the content, not the spelling")
    func equality() throws {
        let one = try XMLElement(parsing: "<a xmlns='x' p='1' q=\"2\"><b>&#97;b</b></a>")
        let two = try XMLElement(parsing: "<n:a q='2' p='&#x31;' xmlns:n='x'><n:b><![CDATA[a]]>b</n:b></n:a>")
        #expect(one == two)
        #expect(Set([one, two]).count == 1)
        for other in [
            "<a xmlns='y' p='1' q='2'><b>ab</b></a>", "<a xmlns='x' p='1'><b>ab</b></a>",
            "<a xmlns='x' p='1' q='2'><b>ab</b> </a>", "<a xmlns='x' p='1' q='2'>ab<b/></a>",
            "<a xmlns='x' p='1' q='3'><b>ab</b></a>", "<a xmlns='x' p='1' q='2'><b>ab</b><b/></a>",
        ] {
            #expect(try XMLElement(parsing: other) != one)
        }
    }

    @Test("S3-5: Attributes are found with and without a namespace")
    func attributes() throws {
        let element = try XMLElement(parsing: "<a xmlns:p='u' p:x='1' x='2' xml:lang='de' y='&lt;&#10;'/>")
        #expect(element["x"] == "2")
        #expect(element.attribute(XMLName("x", "u")) == "1")
        #expect(element.attribute(.language) == "de")
        #expect(element["lang"] == nil)
        #expect(element["p:x"] == nil)
        #expect(element["y"] == "<\n")
        #expect(element.withAttributeUTF8("y") { Array($0) } == [0x3C, 0x0A])
        #expect(
            element.attributes.map { "\($0.name)=\($0.value)" } == [
                "{u}x=1", "x=2", "{http://www.w3.org/XML/1998/namespace}lang=de", "y=<\n",
            ])
    }

    @Test("S3-10: Errors of decoding helpers name the problem")
    func decoding() throws {
        let element = try XMLElement(parsing: "<a xmlns='x' n='7' b='1' bad='z'/>")
        #expect(try element.value("n", as: Int.self) == 7)
        #expect(try element.value("m", as: Int.self) == nil)
        #expect(try element.boolean("b") == true)
        #expect(throws: XMLDecodingError(XMLName("a", "x"), .missingAttribute("m"))) { try element.required("m") }
        #expect(throws: XMLDecodingError(XMLName("a", "x"), .invalidAttribute("bad", value: "z"))) {
            try element.value("bad", as: Int.self)
        }
        #expect(throws: XMLDecodingError(XMLName("a", "x"), .missingElement(XMLName("c", "x")))) {
            try element.required(XMLName("c", "x"))
        }
    }
}
