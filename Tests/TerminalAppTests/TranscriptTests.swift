import ChatStore
import TerminalFixtures
import Testing
import XMPPAddress

@testable import ChatModel
@testable import TerminalApp

private let now = MessageTime(millisecondsSince1970: 1_772_600_400_000)

@Suite struct TranscriptEntryTests {
    private static let pieces = [
        "你好", "hello world ", "👨‍👩‍👧", "\u{1B}[2J", "e\u{301}\u{301}", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\n",
        "\t",
        "🇨🇳🇨🇳", "\u{202E}abc", "，。", "    ", "ｱｲｳ", "❤️", "\u{0}",
    ]

    private static func entry(_ generator: inout SeededGenerator) -> TranscriptEntry {
        let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
            pieces.randomElement(using: &generator) ?? ""
        }
        let name = pieces.randomElement(using: &generator) ?? ""
        let authors: [TranscriptEntry.Author] = [.me, .contact(name + name), .elsewhere(name), .notice]
        let deliveries: [TranscriptEntry.Delivery?] = [
            nil, .sending, .onServer, .delivered, .displayed, .failed("reason"),
        ]
        return TranscriptEntry(
            id: .notice(1), author: authors.randomElement(using: &generator) ?? .me, time: now, text: text.joined(),
            delivery: deliveries.randomElement(using: &generator) ?? nil)
    }

    @Test("no row is wider than the terminal, and none contains anything but text", arguments: [20, 21, 40, 80, 200])
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

    @Test("what a contact answered is a line of the conversation")
    func answer() throws {
        let key = ConversationKey(
            account: AccountID(rawValue: 1), address: try JID("romeo@montague.example"), kind: .direct)
        let stored = StoredNotice(
            id: 1, notice: ConversationNotice(.contactDeclined, in: key.conversation, at: now))
        let item = TimelineItem.notice(TimelineNotice(stored, book: AddressBook(), in: key))
        let entry = try #require(TranscriptEntry(item) { _ in [] })
        let text = entry.rows(columns: 80).map { $0.map(\.text).joined() }.joined()
        #expect(text.contains("romeo declined your contact request."))
    }

    @Test("S1-32: own and other people's lines differ; ticks are at the right edge")
    func sides() throws {
        let mine = TranscriptEntry(id: .notice(1), author: .me, time: now, text: "hi", delivery: .delivered)
        let theirs = TranscriptEntry(id: .notice(2), author: .contact("Bob"), time: now, text: "hi")
        let row = try #require(mine.rows(columns: 40).last).map(\.text).joined()
        #expect(row.hasSuffix("✓✓") && DisplayWidth.of(row) == 40)
        #expect(theirs.rows(columns: 40)[0].map(\.text).joined().contains("Bob: hi"))
    }

    @Test("a day, a gap and the unread messages begin with a line across the screen")
    func dividers() throws {
        let day = TimelineDay(start: MessageTime.now, year: 2026, month: 3, day: 4)
        let items: [(TimelineItem, String)] = [
            (.day(day), "Today"), (.gap(before: MessageID(rawValue: 1)), "Messages may be missing here"),
            (.unread(count: 3), "3 unread"),
        ]
        for (item, text) in items {
            let entry = try #require(TranscriptEntry(item, files: { _ in [] }))
            let rows = entry.rows(columns: 40).map { $0.map(\.text).joined() }
            let row = try #require(rows.last)
            #expect(row.hasPrefix("──") && row.hasSuffix("──") && row.contains(" \(text) "), "\(rows)")
            #expect(DisplayWidth.of(row) <= 40)
        }
    }
}

@Suite struct TranscriptTests {
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

        func show(_ transcript: inout Transcript, _ input: InputLine = InputLine()) {
            let final = transcript.takeFinalRows(columns: screen.columns, maximumLive: screen.maximumLiveRows)
            screen.show(final: final, live: transcript.liveRows(columns: screen.columns), input: input)
        }
    }

    /// A message of the timeline; `place` is its minute.
    private func message(
        _ number: Int64, _ text: String, _ delivery: TranscriptEntry.Delivery? = nil, place: Int64? = nil
    ) -> TranscriptEntry {
        let id = MessageID(rawValue: number)
        let time = now.advanced(by: (place ?? number) * 60_000)
        return TranscriptEntry(
            id: .item(.message(id)), author: delivery == nil ? .contact("Bob") : .me, time: time, text: text,
            delivery: delivery, position: TimelinePosition(time: time, rank: 0, id: id))
    }

    @Test("S0-91, S1-34: an own line is shown at once, and its tick changes in place", arguments: [20, 40, 80])
    func ticks(_ columns: Int) {
        let drawing = Drawing(columns: columns, rows: 24)
        var transcript = Transcript()
        _ = transcript.show([message(1, "one", .sending), message(2, "two", .sending)])
        drawing.show(&transcript)
        #expect(drawing.terminal.text.contains("one"))
        _ = transcript.show([message(1, "one", .onServer), message(2, "two", .sending)])
        drawing.show(&transcript)
        #expect(drawing.terminal.text.contains("✓"))
        _ = transcript.show([message(1, "one", .delivered), message(2, "two", .delivered)])
        drawing.show(&transcript)
        let text = drawing.terminal.text
        #expect(text.ranges(of: "✓✓").count == 2)
        #expect(text.ranges(of: "one").count == 1 && text.ranges(of: "two").count == 1)
        #expect(drawing.terminal.wrapCount == 0)
    }

    @Test("messages that are never confirmed do not fill the screen with redrawn rows")
    func limit() {
        let drawing = Drawing(columns: 40, rows: 10)
        var transcript = Transcript()
        for count in 1...50 {
            _ = transcript.show((1...Int64(count)).map { message($0, "message \($0)", .sending) })
            drawing.show(&transcript)
        }
        #expect(transcript.liveRows(columns: 40).count <= drawing.screen.maximumLiveRows)
        let text = drawing.terminal.text
        for number in 1...50 { #expect(text.ranges(of: "message \(number) ").count == 1) }
        #expect(!transcript.isOutOfOrder)
    }

    @Test("notices of the program stay below the message they followed, whatever changes later")
    func notices() {
        var transcript = Transcript()
        _ = transcript.show([message(1, "one")])
        transcript.append(.notice, "said", time: now)
        _ = transcript.show([message(1, "one!"), message(2, "two")])
        #expect(transcript.entries.map(\.text) == ["one!", "said", "two"])
    }

    @Test("a window that moves forward redraws nothing; a message inserted above the screen redraws everything")
    func order() {
        let drawing = Drawing(columns: 40, rows: 24)
        var transcript = Transcript()
        let day = TranscriptEntry(id: .header, author: .divider, time: now, text: "header")
        _ = transcript.show([day] + (1...10).map { message($0, "m\($0)") })
        drawing.show(&transcript)
        // The oldest messages are removed, the separator moves with the window, and a new message arrives.
        _ = transcript.show([day] + (4...11).map { message($0, "m\($0)") })
        #expect(!transcript.isOutOfOrder)
        drawing.show(&transcript)
        #expect(drawing.terminal.text.ranges(of: "m11").count == 1)
        #expect(drawing.terminal.text.ranges(of: "header").count == 1)
        // An older page is loaded above, in the scroll-back or not, but the screen is unchanged.
        _ = transcript.show([day] + (1...11).map { message($0, "m\($0)") })
        #expect(!transcript.isOutOfOrder)
        // The archive delivers a message that was missing in the middle.
        _ = transcript.show([day] + (1...11).map { message($0, "m\($0)") } + [message(20, "late", place: 5)])
        #expect(!transcript.isOutOfOrder, "at the end it is only new")
        let sorted = (1...5).map { message($0, "m\($0)") } + [message(20, "late", place: 5)]
        _ = transcript.show([day] + sorted + (6...11).map { message($0, "m\($0)") })
        #expect(transcript.isOutOfOrder)
        transcript.rewind(columns: 40, rows: 8)
        #expect(!transcript.isOutOfOrder && transcript.liveRows(columns: 40).count == 8)
    }

    @Test("a removed message does not stay on the screen")
    func removal() {
        var transcript = Transcript()
        _ = transcript.show((1...5).map { message($0, "m\($0)") })
        _ = transcript.takeFinalRows(columns: 40, maximumLive: 0)
        _ = transcript.show([1, 2, 4, 5].map { message($0, "m\($0)") })
        #expect(transcript.isOutOfOrder)
    }

    @Test("a change above the screen is reported, one on the screen is not")
    func changes() {
        var transcript = Transcript()
        _ = transcript.show([message(1, "one")])
        _ = transcript.takeFinalRows(columns: 40, maximumLive: 0)
        #expect(transcript.show([message(1, "won"), message(2, "two", .sending)]) == [message(1, "").id])
        #expect(transcript.show([message(1, "won"), message(2, "too", .sending)]).isEmpty)
    }

    @Test("the cursor is at the next character, also after wide ones")
    func cursor() {
        let drawing = Drawing(columns: 20, rows: 10)
        var transcript = Transcript()
        var input = InputLine()
        _ = input.apply(.text("你好"))
        drawing.show(&transcript, input)
        #expect(drawing.terminal.cursorColumn == 6)
        _ = input.apply(.left)
        drawing.show(&transcript, input)
        #expect(drawing.terminal.cursorColumn == 4)
    }

    @Test("a password is drawn as dots and does not come back with the cursor keys")
    func secret() {
        let drawing = Drawing(columns: 20, rows: 10)
        var transcript = Transcript()
        var input = InputLine()
        _ = input.apply(.text("sesame"))
        drawing.screen.isSecret = true
        drawing.show(&transcript, input)
        #expect(drawing.terminal.text.contains("••••••") && !drawing.terminal.text.contains("sesame"))
        #expect(input.take(isSecret: true) == "sesame")
        #expect(!input.apply(.up) && input.isEmpty)
    }
}

@Suite struct TextFoldingTests {
    @Test("a long body is shown by its beginning, with the length of the rest")
    func folded() {
        #expect(TextFolding.folded("short") == "short")
        let chinese = String(repeating: "长", count: 2000)
        #expect(TextFolding.folded(chinese) == chinese, "counted in code points, not in bytes")
        let long = String(repeating: "x", count: TextFolding.limits.length + 77)
        #expect(TextFolding.folded(long).hasSuffix("x… (77 more characters)"))
        let lines = String(repeating: "\n", count: 1_000_000)
        let folded = TextFolding.folded(lines)
        #expect(folded.utf8.count < 200 && folded.hasSuffix(" more characters)"))
    }

    @Test("a letter with a megabyte of marks is cut, too")
    func marks() {
        let text = "a" + String(repeating: "\u{301}", count: 400_000)
        #expect(TextFolding.folded(text).unicodeScalars.count < TextFolding.limits.length + 100)
        #expect(TerminalText.harmless(text + "b").unicodeScalars.count == 32, "and nobody draws more than 30 marks")
    }
}

@Suite struct StatusRowTests {
    @Test("the row fits, and the connection state is visible with any name", arguments: [20, 40, 80])
    func width(_ columns: Int) {
        for length in [0, 5, 20, 100] {
            let row = StatusRow(left: (String(repeating: "名", count: length), .plain), right: ("offline", .warning))
            let text = row.row(columns: columns).map(\.text).joined()
            #expect(DisplayWidth.of(text) <= columns)
            if columns >= 40 { #expect(text.contains("offline")) }
        }
    }
}
