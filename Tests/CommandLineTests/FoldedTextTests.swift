import MessageFeatures
import Testing

@testable import CommandLine

@Suite("Texts that are too long for the screen")
struct FoldedTextTests {
    @Test("a short text is shown as it is")
    func short() {
        let line = String(repeating: "x", count: 20)
        let text = Array(repeating: line, count: FoldedText.lineLimit).joined(separator: "\n")
        #expect(FoldedText(text, canBeShown: true) == nil)
        #expect(ConversationEntry(id: "1", author: .me, time: .now, text: text).text == text)
    }

    @Test(
        "a megabyte of anything takes a bounded number of rows",
        arguments: ["\n", "x", "x ", "中", "\u{301}", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "a\u{301}\n"])
    func long(piece: String) {
        let text = String(repeating: piece, count: 1_000_000 / piece.utf8.count)
        let entry = ConversationEntry(id: "m1", author: .contact("bob"), time: .now, text: text)
        #expect(entry.text.unicodeScalars.count <= FoldedText.scalarLimit + 100)
        let rows = entry.rows(columns: 80)
        #expect(rows.count <= 2 * FoldedText.scalarLimit / 60 + 2)
        #expect(rows.map { $0.map(\.text).joined() }.joined().contains("more characters"))
    }

    @Test("the number of characters that are missing is told")
    func missing() throws {
        let text = String(repeating: "\n", count: 1000)
        let folded = try #require(FoldedText(text, canBeShown: false)?.text)
        #expect(folded.hasPrefix(String(repeating: "\n", count: FoldedText.lineLimit - 1)))
        #expect(folded.contains("\(1000 - FoldedText.lineLimit + 1)"))
    }
}
