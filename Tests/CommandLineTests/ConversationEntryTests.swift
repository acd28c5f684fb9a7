import MessageFeatures
import Testing

@testable import CommandLine

@Suite struct ConversationEntryTests {
    private static let pieces = [
        "你好", "hello world ", "👨‍👩‍👧", "\u{1B}[2J", "e\u{301}\u{301}", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\n",
        "\t",
        "🇨🇳🇨🇳", "\u{202E}abc", "，。", "    ", "ｱｲｳ", "❤️", "\u{0}",
    ]

    private static func entry(_ generator: inout SeededGenerator) -> ConversationEntry {
        let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
            pieces.randomElement(using: &generator) ?? ""
        }
        let name = pieces.randomElement(using: &generator) ?? ""
        let authors: [ConversationEntry.Author] = [.me, .contact(name + name), .elsewhere(name), .notice]
        let deliveries: [ConversationEntry.Delivery?] = [
            nil, .sending, .transferring(100), .onServer, .delivered, .failed("reason"),
        ]
        return ConversationEntry(
            id: "1", author: authors.randomElement(using: &generator) ?? .me, time: .now, text: text.joined(),
            delivery: deliveries.randomElement(using: &generator) ?? nil)
    }

    @Test("No row is wider than the terminal, and none can be more than text", arguments: [20, 21, 40, 80, 200])
    func rowsFit(_ columns: Int) {
        var generator = SeededGenerator(seed: UInt64(columns))
        for _ in 0..<300 {
            let entry = Self.entry(&generator)
            for row in entry.rows(columns: columns) {
                let text = row.map(\.text).joined()
                #expect(DisplayWidth.of(text) <= columns, "\(entry)")
                #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
            }
        }
    }

    @Test("S1-32: my lines and those of the others differ; ticks stand at the right edge")
    func sides() throws {
        let mine = ConversationEntry(id: "1", author: .me, time: .now, text: "hi", delivery: .delivered)
        let theirs = ConversationEntry(id: "2", author: .contact("Bob"), time: .now, text: "hi")
        let row = try #require(mine.rows(columns: 40).last).map(\.text).joined()
        #expect(row.hasSuffix("✓✓") && DisplayWidth.of(row) == 40)
        #expect(theirs.rows(columns: 40)[0].map(\.text).joined().contains("Bob: hi"))
    }
}

@Suite struct TimelineTests {
    /// A screen that draws into a terminal in memory.
    private final class Drawing {
        var terminal: VirtualTerminal
        var screen: TerminalScreen

        init(columns: Int, rows: Int) {
            terminal = VirtualTerminal(columns: columns, rows: rows)
            screen = TerminalScreen(usesColour: true, size: { (columns, rows) }, write: { _ in })
            screen = TerminalScreen(usesColour: true, size: { (columns, rows) }) { [unowned self] in terminal.write($0)
            }
        }

        func show(_ timeline: inout Timeline, _ input: InputLine) {
            let final = timeline.takeFinalRows(columns: screen.columns, maximumLive: screen.maximumLiveRows)
            screen.show(final: final, live: timeline.liveRows(columns: screen.columns), input: input)
        }
    }

    @Test("S0-91, S1-34: a line of mine is there at once, and its tick changes in place", arguments: [20, 40, 80])
    func ticks(_ columns: Int) {
        let drawing = Drawing(columns: columns, rows: 24)
        var timeline = Timeline()
        let first = timeline.append(.me, "one", delivery: .sending)
        let second = timeline.append(.me, "two", delivery: .sending)
        drawing.show(&timeline, InputLine())
        #expect(drawing.terminal.text.contains("one"))
        timeline.change(first) { $0.delivery = .onServer }
        drawing.show(&timeline, InputLine())
        #expect(drawing.terminal.text.contains("✓"))
        timeline.change(first) { $0.delivery = .delivered }
        timeline.change(second) { $0.delivery = .delivered }
        drawing.show(&timeline, InputLine())
        let text = drawing.terminal.text
        #expect(text.ranges(of: "✓✓").count == 2)
        #expect(text.ranges(of: "one").count == 1 && text.ranges(of: "two").count == 1)
        #expect(drawing.terminal.wrapCount == 0)
    }

    @Test("Messages that are never confirmed do not fill the screen with rows that are drawn again")
    func limit() {
        let drawing = Drawing(columns: 40, rows: 10)
        var timeline = Timeline()
        for number in 0..<50 {
            _ = timeline.append(.me, "message \(number)", delivery: .sending)
            drawing.show(&timeline, InputLine())
        }
        #expect(timeline.liveRows(columns: 40).count <= drawing.screen.maximumLiveRows)
        let text = drawing.terminal.text
        for number in 0..<50 { #expect(text.ranges(of: "message \(number) ").count == 1) }
    }

    @Test("A day begins with its date")
    func days() {
        var timeline = Timeline()
        let day: Int64 = 86_400_000
        _ = timeline.append(.notice, "old", time: Timestamp(millisecondsSince1970: 20_000 * day + day / 2))
        _ = timeline.append(.notice, "new", time: Timestamp(millisecondsSince1970: 20_001 * day + day / 2))
        _ = timeline.append(.notice, "newer", time: Timestamp(millisecondsSince1970: 20_001 * day + day / 2 + 1))
        let rows = timeline.takeFinalRows(columns: 40, maximumLive: 10).map { $0.map(\.text).joined() }
        #expect(rows.filter { $0.contains("──") }.count == 2)
    }

    @Test("The cursor stands where the next character goes, also behind wide ones")
    func cursor() {
        let drawing = Drawing(columns: 20, rows: 10)
        var timeline = Timeline()
        var input = InputLine()
        _ = input.apply(.text("你好"))
        drawing.show(&timeline, input)
        #expect(drawing.terminal.cursorColumn == 6)
        _ = input.apply(.left)
        drawing.show(&timeline, input)
        #expect(drawing.terminal.cursorColumn == 4)
    }
}

/// Random numbers that are the same in each run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &+ 0x9E37_79B9_7F4A_7C15
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
