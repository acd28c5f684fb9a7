import Testing

@testable import TerminalApp

@Suite struct DisplayWidthTests {
    @Test(
        "Columns of characters",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("你", 2), ("。", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("🎉", 2), ("🇨🇳", 2),
            ("👨‍👩‍👧", 2), ("❤️", 2), ("👍🏽", 2), ("\u{200B}", 0), ("\u{301}", 0), ("✓", 1), ("─", 1), ("1️⃣", 1),
        ])
    func widths(_ text: String, _ width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test("cutting never exceeds the width and never splits a character", arguments: 0...12)
    func truncation(_ columns: Int) {
        let cut = DisplayWidth.truncate("你好ab👨‍👩‍👧c世界", to: columns)
        #expect(DisplayWidth.of(cut) <= columns)
        if columns > 0 { #expect(cut.last == "…" || cut.last == "界") }
    }

    @Test("lines break at spaces and between wide characters, and never exceed the width", arguments: [20, 80])
    func wrapping(_ columns: Int) {
        let text = "Hello 你好，世界！ a_very_long_word_without_any_space_that_must_be_cut_somewhere 👨‍👩‍👧 end 「引号」。"
        let lines = TextWrapping.lines(of: text, columns: columns)
        for line in lines { #expect(DisplayWidth.of(line) <= columns) }
        #expect(lines.joined().filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
        for line in lines { #expect(line.first != "，" && line.first != "。") }
    }

    @Test("no line ends between a number and its unit", arguments: 8...40)
    func noBreak(_ columns: Int) {
        for text in ["Offline. Next attempt in 11\u{A0}s.", "离线。11\u{A0}秒后重试。"] {
            let lines = TextWrapping.lines(of: text, columns: columns)
            #expect(lines.contains { $0.contains("11\u{A0}") && $0.last != "\u{A0}" }, "\(lines)")
            for line in lines { #expect(DisplayWidth.of(line) <= columns) }
        }
    }

    @Test("escape sequences, bells and direction overrides from others are made harmless")
    func harmless() {
        let text = TerminalText.harmless("a\u{1B}]0;title\u{7}b\u{9B}31mc\u{202E}dcba\u{2066}x\u{2028}y\r\nz\u{8}")
        for scalar in text.unicodeScalars {
            #expect(scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format)
        }
        #expect(!text.contains("\u{1B}"))
        #expect(TerminalText.harmless("👨‍👩‍👧") == "👨‍👩‍👧")
        #expect(TerminalText.harmless("a\nb", keepingLines: true) == "a\nb")
    }
}
