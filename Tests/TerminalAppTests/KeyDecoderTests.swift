import Testing

@testable import TerminalApp

@Suite struct KeyDecoderTests {
    @Test(
        "Decoding keys",
        arguments: [
            ("abc", [.text("abc")]), ("\r", [.enter]), ("a\rb", [.text("a"), .enter, .text("b")]),
            ("\u{3}", [.interrupt]),
            ("\u{4}", [.endOfInput]), ("\u{7F}", [.backspace]), ("\t", [.tab]), ("\u{1B}[A", [.up]),
            ("\u{1B}OB", [.down]),
            ("\u{1B}[3~", [.delete]), ("\u{1B}[1;5D", [.wordLeft]), ("\u{1B}b", [.wordLeft]), ("\u{1B}[99z", []),
            ("你好👨‍👩‍👧", [.text("你好👨‍👩‍👧")]), ("\u{C}", [.redraw]),
            ("\u{1B}1\u{1B}9", [.conversation(1), .conversation(9)]), ("\u{1B}a", [.nextUnread]),
        ] as [(String, [KeyDecoder.Key])])
    func keys(_ text: String, _ expected: [KeyDecoder.Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(text.utf8) == expected)
    }

    @Test("UTF-8 and sequences that arrive byte by byte are the same keys")
    func splitBytes() {
        var decoder = KeyDecoder()
        let keys = Array("é你🎉\u{1B}[Dx".utf8).flatMap { decoder.decode([$0]) }
        #expect(keys == [.text("é"), .text("你"), .text("🎉"), .left, .text("x")])
    }

    @Test("a pasted line break is text, and so is a pasted tab of several lines")
    func paste() {
        var decoder = KeyDecoder()
        let keys = decoder.decode("\u{1B}[200~one\rtwo\nthree\u{1B}[201~\r".utf8)
        #expect(keys == [.text("one\ntwo\nthree"), .enter])
    }

    @Test("invalid bytes do not affect what follows")
    func rubbish() {
        var decoder = KeyDecoder()
        var keys = decoder.decode([0xFF, 0xC0] + Array("a".utf8))
        keys += decoder.decode([0x1B] + Array("[".utf8) + Array(repeating: UInt8(ascii: "1"), count: 40))
        keys += decoder.decode(Array("b\r".utf8))
        #expect(keys.last == .enter)
    }
}

@Suite struct InputLineTests {
    private func line(_ keys: KeyDecoder.Key...) -> InputLine {
        var line = InputLine()
        for key in keys { _ = line.apply(key) }
        return line
    }

    @Test("editing works on user-perceived characters")
    func editing() {
        #expect(line(.text("a👨‍👩‍👧b"), .left, .backspace).string == "ab")
        #expect(line(.text("one two three"), .deleteWord).string == "one two ")
        #expect(line(.text("one two"), .home, .text("x"), .end, .text("y")).string == "xone twoy")
        #expect(line(.text("abc"), .wordLeft, .deleteToEnd).string == "")
        #expect(line(.text("e"), .text("\u{301}"), .backspace).string == "")
        #expect(line(.backspace, .left, .right, .delete, .deleteWord, .up, .down).string == "")
    }

    @Test("earlier lines come back, and the draft after them")
    func history() {
        var line = line(.text("first"))
        #expect(line.take() == "first")
        _ = line.apply(.text("second"))
        _ = line.take()
        _ = line.apply(.text("draft"))
        _ = line.apply(.up)
        _ = line.apply(.up)
        _ = line.apply(.up)
        #expect(line.string == "first")
        _ = line.apply(.down)
        _ = line.apply(.down)
        #expect(line.string == "draft")
    }

    @Test("the visible part fits and contains the cursor", arguments: 2...30)
    func window(_ columns: Int) {
        var line = line(.text("你好 hello 👨‍👩‍👧 a long line of 中文 text\nwith a break"))
        for _ in 0...line.string.count {
            let (text, cursor) = line.window(columns: columns)
            #expect(DisplayWidth.of(text) <= columns && cursor <= columns)
            #expect(!text.contains("\n"))
            _ = line.apply(.left)
        }
    }
}
