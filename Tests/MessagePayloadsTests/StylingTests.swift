import Foundation
import MessagePayloads
import Testing
import XMLStreaming
import XMPPStanzas

/// XEP-0393.
@Suite("Message styling")
struct StylingTests {
    /// A notation to compare with: the style's letters around what they cover, lines apart.
    private func notation(_ text: String) -> String { notation(StyledText(text).blocks).joined(separator: "\n") }

    private func notation(_ blocks: [StyledText.Block]) -> [String] {
        blocks.flatMap { block -> [String] in
            switch block {
            case .line(let spans): [spans.map(notation).joined()]
            case .preformatted(let block): ["[\(block.label)|\(block.text)|\(block.isClosed ? "" : "…")]"]
            case .quotation(let blocks): ["(" + notation(blocks).joined(separator: "\n") + ")"]
            }
        }
    }

    private func notation(_ span: StyledText.Span) -> String {
        if span.style.isEmpty { return span.text }
        var letters = ""
        for (style, letter) in [
            (StyledText.Style.emphasis, "e"), (.strong, "s"), (.strikethrough, "t"), (.preformatted, "p"),
        ] where span.style.contains(style) {
            letters += letter
        }
        return span.isDirective ? "" : "{\(letters):\(span.text)}"
    }

    @Test(
        "the spans of the specification (§6.2)",
        arguments: [
            ("plain span", "plain span"),
            ("*strong span*", "{s:strong span}"),
            ("plain _emphasis_ plain", "plain {e:emphasis} plain"),
            ("`pre` plain *strong*", "{p:pre} plain {s:strong}"),
            ("*strong*plain*", "{s:strong}plain*"),
            ("* plain *strong*", "* plain {s:strong}"),
            ("Two spans, both *alike in dignity*", "Two spans, both {s:alike in dignity}"),
            (
                "The full title is _Twelfth Night, or What You Will_ but",
                "The full title is {e:Twelfth Night, or What You Will} but"
            ),
            ("_most_ people shorten it.", "{e:most} people shorten it."),
            ("Everyone ~dis~likes cake.", "Everyone {t:dis}likes cake."),
            ("This is `monospace`", "This is {p:monospace}"),
            ("This is `*monospace*`", "This is {p:*monospace*}"),
            ("This is *`monospace and bold`*", "This is {sp:monospace and bold}"),
        ])
    func spans(text: String, expected: String) {
        #expect(notation(text) == expected)
    }

    @Test(
        "what the specification leaves plain (§6.2)",
        arguments: [
            "not strong*", "*not strong", "*not \n strong*", "*not *strong", "**", "***", "****", "*", "_ _", "a*b*c",
            "2 * 3 * 4", "snake_case_name", "https://example.org/~user/~home",
        ])
    func plain(text: String) {
        #expect(notation(text) == text)
    }

    @Test(
        "styles within styles, and directives that cross",
        arguments: [
            ("*_both_ strong*", "{es:both}{s: strong}"),
            ("_*~`all`~*_", "{estp:all}"),
            ("*a _b* c_", "{s:a _b} c_"),
            ("_*a_", "{e:*a}"),
            ("*a b*c d*", "{s:a b}c d*"),
            ("*a *b*", "{s:a *b}"),
            ("**a*", "**a*"),
            ("*鸿雁*", "{s:鸿雁}"),
            ("\u{3000}*a*", "\u{3000}{s:a}"),
            ("*a\u{00A0}*", "*a\u{00A0}*"),
        ])
    func nested(text: String, expected: String) {
        #expect(notation(text) == expected)
    }

    @Test(
        "the blocks of the specification (§6.1)",
        arguments: [
            (
                "There are three blocks in this body, one per line,\nbut there is no *formatting\nas spans* may not escape blocks.",
                "There are three blocks in this body, one per line,\nbut there is no *formatting\nas spans* may not escape blocks."
            ),
            (
                "```ignored\n(println \"Hello, world!\")\n```\nThis should show up",
                "[ignored|(println \"Hello, world!\")|]\nThis should show up"
            ),
            (
                "> ```\n> (println \"Hello, world!\")\n\nThe entire blockquote",
                "([|(println \"Hello, world!\")|…])\n\nThe entire blockquote"
            ),
            (
                "> That that is, is.\n\nSaid the old hermit of Prague.",
                "(That that is, is.)\n\nSaid the old hermit of Prague."
            ),
            (
                ">> That that is, is.\n> Said the old hermit of Prague.\nWho?",
                "((That that is, is.)\nSaid the old hermit of Prague.)\nWho?"
            ),
            (">*a*\n>  b", "({s:a}\n b)"),
            ("```\n*a*\n``` b\n```", "[|*a*\n``` b|]"),
            ("```", "[||…]"),
            ("", ""),
            ("\n", "\n"),
        ])
    func blocks(text: String, expected: String) {
        #expect(notation(text) == expected)
    }

    @Test("a sender can switch styling off (§7)")
    func unstyled() throws {
        let message = try Message(
            from: XMLElement(
                parsing: "<message xmlns='jabber:client'><body>&gt; _ &lt;\n*a*</body>"
                    + "<unstyled xmlns='urn:xmpp:styling:0'/></message>"))
        #expect(message.styledBody()?.blocks == [.line([.init("> _ <")]), .line([.init("*a*")])])
        #expect(Message(body: "*a*").styledBody() == StyledText("*a*"))
        #expect(Message().styledBody() == nil)
    }

    @Test("no character of a line is lost, whatever stands in it")
    func nothingLost() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let length = Int.random(in: 0...24, using: &generator)
            let text = (0..<length).map { _ in ["*", "_", "~", "`", " ", "a", "\u{301}", "👍🏽"].randomElement() ?? "" }
                .joined()
            let spans = StyledText("." + text).blocks.flatMap { block -> [StyledText.Span] in
                if case .line(let spans) = block { spans } else { [] }
            }
            #expect(spans.map(\.text).joined() == "." + text)
        }
    }

    @Test(
        "hostile texts take time in proportion to their length",
        arguments: ["*a ", "*", "_*~`", "`*a_ ", ">", "> ", "```\n", ">\n", "*a* "])
    func linear(unit: String) {
        func cost(_ count: Int) -> Double {
            let text = String(repeating: unit, count: count)
            return (0..<4).map { _ in processorSeconds { _ = StyledText(text) } }.min() ?? 0
        }
        // 16 times as much: linear is 16, quadratic 256.
        #expect(cost(8_000) < cost(500) * 100 + 0.02)
    }

    /// The time that this thread works, whatever else the machine does.
    private func processorSeconds(_ work: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        work()
        return now() - start
    }

    @Test("quotations are read to a bounded depth")
    func depth() {
        var blocks = StyledText(String(repeating: ">", count: 100_000) + "a").blocks
        var depth = 0
        while case .quotation(let inner) = blocks.first {
            depth += 1
            blocks = inner
        }
        #expect(depth == StyledText.maximumQuotationDepth)
    }
}
