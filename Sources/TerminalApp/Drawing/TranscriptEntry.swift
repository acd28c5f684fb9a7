internal import ChatModel
internal import ChatStore
internal import Localization

/// One line of a conversation as the terminal shows it.
struct TranscriptEntry: Equatable {
    enum ID: Hashable {
        /// The line across the screen with the name of the conversation.
        case header
        case item(TimelineItem.ID)
        case notice(Int)
    }

    enum Author: Equatable {
        case me
        case contact(String)
        /// An occupant of a room; each has a colour.
        case occupant(String)
        /// The author of a message in another conversation.
        case elsewhere(String)
        /// A line of the program: a contact came online, a request, an error.
        case notice
        /// A line across the screen with a short text.
        case divider
    }

    /// The delivery state of an outgoing message, as far as the protocol confirms it.
    enum Delivery: Equatable {
        case sending
        /// The server has received it.
        case onServer
        /// One of the contact's devices has received it.
        case delivered
        /// The contact has read it.
        case displayed
        case failed(String)

        var mark: String {
            switch self {
            case .sending: "…"
            case .onServer: "✓"
            case .delivered: "✓✓"
            // A different character, not only a different colour, which not everyone can distinguish.
            case .displayed: "✔✔"
            case .failed: "✗"
            }
        }

        /// Whether the line can no longer change.
        var isFinal: Bool {
            switch self {
            case .sending, .onServer, .delivered: false
            case .displayed, .failed: true
            }
        }

        fileprivate var style: TerminalScreen.Style {
            switch self {
            case .failed: .warning
            case .displayed: .mine
            default: .dim
            }
        }
    }

    var id: ID
    var author: Author
    var time: MessageTime
    var text: String
    /// The name before what its author does (XEP-0245); `nil` for what the author says.
    var actor: String?
    var delivery: Delivery?
    /// How the message was protected, before its author.
    var lock: String?
    /// The position of a message in the timeline; `nil` for every other line.
    var position: TimelinePosition?
    /// Whether a file of the message is being transferred.
    var isChanging = false

    /// Whether the line can be written permanently.
    var isFinal: Bool { (delivery?.isFinal ?? true) && !isChanging }

    /// The entry as rows of at most `columns`: time, name, text, and the mark at the right end of the last row.
    func rows(columns: Int) -> [TerminalScreen.Row] {
        let prefix: TerminalScreen.Row
        let style: TerminalScreen.Style
        let clock = time.timestamp.clockText + (lock.map { " " + $0 } ?? "")
        switch author {
        case .me:
            style = .plain
            let name = actor.map { Self.shown($0, columns) + " " } ?? localized("me") + ": "
            prefix = [.init(text: clock + " ", style: .dim), .init(text: name, style: .mine)]
        case .contact(let name), .occupant(let name):
            style = .plain
            let colour = author == .occupant(name) ? TerminalScreen.Style.colour(of: name) : .theirs
            let shown = Self.shown(name, columns) + (actor == nil ? ": " : " ")
            prefix = [.init(text: clock + " ", style: .dim), .init(text: shown, style: colour)]
        case .elsewhere(let name):
            style = .plain
            let shown = DisplayWidth.truncate(TerminalText.harmless(name), to: min(20, columns / 4))
            prefix = [.init(text: clock + " ", style: .dim), .init(text: "→ " + shown + ": ", style: .warning)]
        case .notice:
            style = .dim
            prefix = [.init(text: clock + " * ", style: .dim)]
        case .divider: return [Self.divider(TerminalText.harmless(text), columns: columns)]
        }
        let indent = prefix.reduce(0) { $0 + DisplayWidth.of($1.text) }
        let room = max(2, columns - indent)
        var lines = TextWrapping.lines(of: TerminalText.harmless(text, keepingLines: true), columns: room)
        // The mark gets its own row if the text leaves too little space even for the widest mark, so that lines never
        // move.
        if delivery != nil, DisplayWidth.of(lines.last ?? "") + Self.markRoom > room { lines.append("") }
        return lines.enumerated().map { index, line in
            var row: TerminalScreen.Row =
                index == 0 ? prefix : [.init(text: String(repeating: " ", count: indent))]
            row.append(.init(text: line, style: style))
            if index == lines.count - 1, let delivery {
                let gap = columns - indent - DisplayWidth.of(line) - DisplayWidth.of(delivery.mark)
                row.append(.init(text: String(repeating: " ", count: max(1, gap))))
                row.append(.init(text: delivery.mark, style: delivery.style))
            }
            return row
        }
    }

    private static func shown(_ name: String, _ columns: Int) -> String {
        DisplayWidth.truncate(TerminalText.harmless(name), to: min(20, columns / 3))
    }

    /// The columns of the widest mark, `100%`, and of the space before it.
    private static let markRoom = 5

    /// `──────── 2026-09-12 ────────`.
    static func divider(_ text: String, columns: Int) -> TerminalScreen.Row {
        let shown = DisplayWidth.truncate(" \(text) ", to: columns)
        let room = max(0, columns - DisplayWidth.of(shown))
        let left = String(repeating: "─", count: room / 2)
        return [.init(text: left + shown + String(repeating: "─", count: room - room / 2), style: .dim)]
    }
}
