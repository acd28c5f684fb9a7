import MessagePayloads
import Testing
import XMLStreaming
import XMPPStanzas

@Suite("XEP-0511: link metadata")
struct LinkDescriptionTests {
    @Test("the example of the specification (§3.1)")
    func example() throws {
        let message = try Message(
            from: XMLElement(
                parsing: """
                    <message to='romeo@montague.lit' type='chat' xmlns='jabber:client'>
                      <body>I wanted to mention https://the.link.example.com/what-was-linked-to</body>
                      <rdf:Description xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:og="https://ogp.me/ns#" \
                    rdf:about="https://the.link.example.com/what-was-linked-to">
                        <og:title>The Best Webpage</og:title>
                        <og:description>This is a great webpage and you will really like it</og:description>
                        <og:url>https://example.com/canonical-url/for/what-was-linked-to</og:url>
                        <og:image>https://link.to.example.com/image.png</og:image>
                        <og:type>website</og:type>
                        <og:site_name>Example Website</og:site_name>
                      </rdf:Description>
                    </message>
                    """))
        let found = try #require(try message.payload(LinkDescription.self))
        #expect(found.link == "https://the.link.example.com/what-was-linked-to")
        #expect(found.title == "The Best Webpage" && found.site == "Example Website")
        #expect(found.summary == "This is a great webpage and you will really like it")
        let again = try LinkDescription(from: XMLElement(parsing: XMLElement(found).description))
        #expect(again == found)
    }

    @Test("texts are one line and bounded; without a link or a text there is no description")
    func bounds() throws {
        let long = try #require(
            LinkDescription(
                of: "https://example.org", title: " a\n\tb\u{0} c ", summary: String(repeating: "x", count: 9_000)))
        #expect(long.title == "a b c")
        #expect(long.summary?.count == LinkDescription.summaryLimit + 1)
        #expect(LinkDescription(of: "", title: "a") == nil)
        #expect(LinkDescription(of: "https://example.org", title: "  ", site: "x") == nil)
        #expect(LinkDescription(of: "https://" + String(repeating: "x", count: 3_000), title: "a") == nil)
        for xml in [
            "<Description xmlns='http://www.w3.org/1999/02/22-rdf-syntax-ns#' about='https://example.org'><title xmlns='https://ogp.me/ns#'>a</title></Description>",
            "<Description xmlns='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' r:about='https://example.org'/>",
        ] {
            #expect(throws: XMLDecodingError.self) { try LinkDescription(from: XMLElement(parsing: xml)) }
        }
    }
}
