import ChatModel
import Testing

@Suite("Parsing message texts")
struct MessageBodyTests {
    @Test(
        "the first letter decides the direction",
        arguments: [
            ("Hello", MessageBody.Direction.leftToRight), ("123 שלום", .rightToLeft), ("سلام", .rightToLeft),
            ("你好", .leftToRight), ("12:30 👍", .neutral), ("", .neutral), ("\u{200F}abc", .rightToLeft),
        ])
    func direction(text: String, direction: MessageBody.Direction) {
        #expect(MessageBody(text).direction == direction)
    }

    @Test(
        "up to six emoji and nothing else are counted",
        arguments: [
            ("👍", 1), ("👍 🎉", 2), ("👨‍👩‍👧‍👦", 1), ("🇨🇳", 1), ("❤️", 1), ("1️⃣", 1), ("👍!", 0), ("1", 0), ("#", 0), ("", 0),
            ("👍👍👍👍👍👍👍", 0),
            ("好", 0),
        ])
    func emoji(text: String, count: Int) {
        #expect(MessageBody(text).emojiCount == count)
    }

    @Test(
        "links are found without surrounding punctuation",
        arguments: [
            ("see https://example.org/a?b=c#d.", ["https://example.org/a?b=c#d"]),
            ("(https://example.org/a_(b))", ["https://example.org/a_(b)"]),
            ("请看https://example.org/你好。谢谢", ["https://example.org/你好"]),
            ("见（http://example.org/a）", ["http://example.org/a"]),
            (
                "www.example.org, xmpp:romeo@montague.example?message",
                ["https://www.example.org", "xmpp:romeo@montague.example?message"]
            ),
            ("HTTPS://EXAMPLE.ORG", ["HTTPS://EXAMPLE.ORG"]), ("mailto:a@b.example", ["mailto:a@b.example"]),
            ("geo:52.5,13.4", ["geo:52.5,13.4"]), ("javascript:alert(1) file:///etc/passwd", []),
            ("xhttps://example.org", []), ("https://", []), ("`https://example.org`", []),
            ("*https://example.org*", ["https://example.org"]),
            ("https://example.org/'quoted'", ["https://example.org/'quoted"]),
        ])
    func links(text: String, links: [String]) {
        #expect(MessageBody(text).links == links)
    }

    @Test("styles, directives, quotations and code (XEP-0393)")
    func styles() {
        let body = MessageBody("> said *he*\nfine\n```swift\nlet a\n```")
        #expect(body.blocks.count == 3)
        #expect(
            body.blocks.first
                == .quotation([
                    .line([
                        .init(text: "said ", style: []), .init(text: "*", style: [.strong, .sign]),
                        .init(text: "he", style: .strong), .init(text: "*", style: [.strong, .sign]),
                    ])
                ]))
        #expect(body.blocks.last == .preformatted("let a", label: "swift"))
    }

    @Test("an action is shown without its command (XEP-0245)")
    func action() {
        let body = MessageBody("/me shrugs")
        #expect(body.isAction)
        #expect(body.blocks == [.line([.init(text: "shrugs", style: [])])])
        #expect(!MessageBody("/meshrugs").isAction)
    }
}
