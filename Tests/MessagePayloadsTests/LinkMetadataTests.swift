import MessagePayloads
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("Metadata of links (XEP-0511)")
struct LinkMetadataTests {
    private static let example =
        "<message xmlns='jabber:client' to='romeo@montague.lit' type='chat'>"
        + "<body>I wanted to mention https://the.link.example.com/what-was-linked-to</body>"
        + "<rdf:Description xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:og='https://ogp.me/ns#' "
        + "xmlns:ogi='https://ogp.me/ns#image:' rdf:about='https://the.link.example.com/what-was-linked-to'>"
        + "<og:title>The Best Webpage</og:title>"
        + "<og:description>This is a great webpage and you will really like it</og:description>"
        + "<og:url>https://example.com/canonical-url/for/what-was-linked-to</og:url>"
        + "<og:image>https://link.to.example.com/image.png</og:image><og:image>data:image/jpeg,...</og:image>"
        + "<ogi:alt>Alt text for the social media image</ogi:alt>"
        + "<og:video>https://videos.example.com/video-embed.html</og:video><og:type>website</og:type>"
        + "<og:site_name>Example Website</og:site_name></rdf:Description></message>"

    @Test("the example of the specification")
    func example() throws {
        let message = try Message(from: XMLElement(parsing: Self.example))
        let link = try #require(message.linkMetadata.first)
        #expect(message.linkMetadata.count == 1)
        #expect(link.about == "https://the.link.example.com/what-was-linked-to")
        #expect(link.title == "The Best Webpage")
        #expect(link.description == "This is a great webpage and you will really like it")
        #expect(link.url == "https://example.com/canonical-url/for/what-was-linked-to")
        #expect(link.images == ["https://link.to.example.com/image.png", "data:image/jpeg,..."])
        #expect(link.imageText == "Alt text for the social media image")
        #expect(link.video == "https://videos.example.com/video-embed.html")
        #expect(link.type == "website")
        #expect(link.siteName == "Example Website")
        // What is written is the same element.
        #expect(XMLElement(link) == message.payloads.first(LinkMetadata.name))
        #expect(try LinkMetadata(from: XMLElement(link)) == link)
    }

    private static func description(_ attributes: String, _ content: String = "") -> String {
        "<r:Description xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:og='https://ogp.me/ns#' \(attributes)>"
            + "\(content)</r:Description>"
    }

    @Test("an address is required", arguments: [description(""), description("about='a'"), description("r:about=''")])
    func bad(text: String) throws {
        #expect(throws: XMLDecodingError.self) { try LinkMetadata(from: XMLElement(parsing: text)) }
    }

    @Test("long texts are cut, and many links and pictures are not read")
    func bounds() throws {
        let long = String(repeating: "长", count: 5000)
        let images = String(repeating: "<og:image>https://a.example/</og:image>", count: 100)
        let text = Self.description("r:about='https://a.example'", "<og:title>\(long)</og:title>\(images)")
        let link = try LinkMetadata(from: XMLElement(parsing: text))
        #expect(link.title?.count == 1024)
        #expect(link.images.count == 4)
        let message = try Message(
            from: XMLElement(
                parsing: "<message xmlns='jabber:client'>\(String(repeating: text, count: 20))</message>"))
        #expect(message.linkMetadata.count == LinkMetadata.linkLimit)
    }
}
