import Testing

@testable import ChatModel

@Suite("Truncating long texts")
struct TextFoldTests {
    /// Texts that have frozen windows, and what makes each of them slow.
    static let hostile: [(name: String, text: String)] = [
        ("one word", String(repeating: "a", count: 1_000_000)),
        ("code", "```\n" + String(repeating: "b", count: 120_000) + "\n```"),
        ("marks", "a" + String(repeating: "\u{0301}", count: 100_000)),
        ("styles", String(repeating: "*a* ", count: 30_000)),
        ("brackets", String(repeating: "www." + String(repeating: ")", count: 2_044) + " ", count: 60)),
        ("empty lines", String(repeating: "\n", count: 120_000)),
        ("links", String(repeating: "https://a.example/ ", count: 14_000)),
        ("code blocks", String(repeating: "```\nx\n```\n", count: 12_000)),
        ("quotations", String(repeating: "> q\nx\n", count: 15_000)),
        ("nested quotations", String(repeating: String(repeating: ">", count: 500) + "\n", count: 2_000)),
        ("families", String(repeating: "👨‍👩‍👧‍👦", count: 8_000)),
        ("joined", "👩" + String(repeating: "\u{200D}👩", count: 100_000)),
        ("spaces", String(repeating: " ", count: 1_000_000)),
        ("right to left", String(repeating: "ש", count: 200_000)),
        ("two directions", String(repeating: "aש", count: 100_000)),
        ("embeddings", String(repeating: "\u{202B}a", count: 100_000)),
    ]

    @Test("of each hostile text a limited part is examined and shown", arguments: hostile.map(\.text))
    func bounded(text: String) {
        let limits = TextFold.Limits.message
        let fold = TextFold(text)
        #expect(fold.isFolded)
        #expect(fold.examined <= limits.length * TextFold.skipping)
        #expect(fold.text.unicodeScalars.count <= limits.length + limits.length / limits.wordLength)
        #expect(fold.text.split(separator: "\n", omittingEmptySubsequences: false).count <= limits.lines)
        let body = MessageBody(text)
        #expect(body.isFolded)
        #expect(body.links.count <= BodyBuilder.linkLimit)
        var (blocks, pieces, depth) = (0, 0, 0)
        func count(_ inner: [MessageBody.Block], _ level: Int) {
            depth = max(depth, level)
            for block in inner {
                switch block {
                case .line(let line): pieces += line.count
                case .preformatted: blocks += 1
                case .quotation(let inside):
                    blocks += 1
                    count(inside, level + 1)
                }
            }
        }
        count(body.blocks, 0)
        #expect(blocks <= BodyBuilder.blockLimit && depth <= BodyBuilder.depthLimit)
        #expect(pieces <= BodyBuilder.pieceLimit + limits.lines + 2)
        let line = MessagePreview.line(text)
        #expect(line.unicodeScalars.count <= TextFold.Limits.line.length + 2)
    }

    @Test("usual texts are shown completely")
    func whole() {
        let texts = [
            "", "a", "Was für ein Tag!\n\n> ja\n*gut*", String(repeating: "鸿雁传书。", count: 900),
            String(repeating: "tiếng Việt שָׁלוֹם ภาษาไทย ", count: 150), "👨‍👩‍👧‍👦",
            "https://a.example/" + String(repeating: "x", count: 900),
        ]
        for text in texts {
            let fold = TextFold(text)
            #expect(fold.text == text && !fold.isFolded, "\(text.prefix(20))")
            #expect(!MessageBody(text).isFolded)
        }
    }

    @Test("a long word is cut and the text after it is still shown")
    func longWord() {
        let fold = TextFold("see " + String(repeating: "x", count: 2_000) + " and more")
        #expect(fold.isFolded)
        #expect(fold.text.hasSuffix("x… and more"))
    }

    @Test("an emoji at the limit is left out completely")
    func emoji() {
        let text = String(repeating: "鸿", count: TextFold.Limits.message.length - 2) + "👨‍👩‍👧‍👦 more"
        #expect(TextFold(text).text == String(repeating: "鸿", count: TextFold.Limits.message.length - 2))
    }

    @Test("links and styles beyond their limits are shown as text")
    func budgets() {
        let links = String(repeating: "https://a.example/ ", count: 60)
        let body = MessageBody(links)
        #expect(body.links.count == BodyBuilder.linkLimit)
        #expect(!body.isFolded)
        let styled = String(repeating: "*a* ", count: 400)
        guard case .line(let pieces)? = MessageBody(styled).blocks.first else {
            Issue.record("no line")
            return
        }
        #expect(pieces.map(\.text).joined() == styled)
    }

    @Test("finding links in a megabyte of brackets takes linear time", .timeLimit(.minutes(5)))
    func linear() {
        let text = String(repeating: "www." + String(repeating: ")", count: 2_044) + " ", count: 500)
        #expect(LinkFinder(text).ranges.isEmpty)
        let good = String(repeating: "https://a.example/(b) ", count: 20_000)
        #expect(LinkFinder(good).ranges.count == 20_000)
    }

    @Test("the portions of a plain view are the whole text, in lines of limited length")
    func portions() {
        for (name, text) in Self.hostile {
            var whole = String.UnicodeScalarView()
            for portion in TextPortions(text) {
                #expect(portion.unicodeScalars.count <= TextPortions.length * 2, "\(name)")
                #expect(portion.unicodeScalars.count { $0 == "\n" } <= TextPortions.lines + 1, "\(name)")
                whole.append(contentsOf: portion.unicodeScalars)
            }
            let longest = whole.split(separator: "\n").map(\.count).max() ?? 0
            #expect(longest <= TextPortions.lineLength, "\(name)")
            let breaks = text.unicodeScalars.count / TextPortions.lineLength
            #expect(
                whole.count >= text.unicodeScalars.count && whole.count <= text.unicodeScalars.count + breaks, "\(name)"
            )
        }
        #expect(Array(TextPortions("short\ntext")) == ["short\ntext"])
        #expect(Array(TextPortions("")) == [])
    }
}
