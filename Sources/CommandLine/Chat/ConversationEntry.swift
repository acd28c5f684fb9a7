internal import ChatStore
internal import Localization
internal import MessageFeatures

/// One line of a conversation as the person sees it.
struct ConversationEntry: Equatable {
    enum Author: Equatable {
        case me
        case contact(String)
        /// Somebody whose conversation is not the open one.
        case elsewhere(String)
        /// The program itself: somebody came online, a request, an error.
        case notice
        /// A line across the screen with a few words in it.
        case divider
    }

    /// What happened to a message of mine, as far as the protocol proves it.
    enum Delivery: Equatable {
        case sending
        /// Upload or download in percent.
        case transferring(Int)
        /// The server has it.
        case onServer
        /// One of the contact's devices has it.
        case delivered
        /// The contact has seen it.
        case displayed
        case failed(String)

        var mark: String {
            switch self {
            case .sending: "…"
            case .transferring(let percent): "\(percent)%"
            case .onServer: "✓"
            case .delivered: "✓✓"
            // Another sign, and not only another colour, which not everybody sees.
            case .displayed: "✔✔"
            case .failed: "✗"
            }
        }

        /// Whether the line can still change.
        var isFinal: Bool {
            switch self {
            case .sending, .transferring, .onServer, .delivered: false
            case .displayed, .failed: true
            }
        }
    }

    var id: String
    var author: Author
    var time: Timestamp
    var text: String
    var delivery: Delivery?
    /// Where a message of the store stands; lines of the program's own stay where they were written.
    var position: TimelinePosition?

    /// - Parameter text: what is longer than ``FoldedText`` allows is cut, with a line that says so.
    init(
        id: String, author: Author, time: Timestamp, text: String, delivery: Delivery? = nil,
        position: TimelinePosition? = nil
    ) {
        (self.id, self.author, self.time, self.delivery, self.position) = (id, author, time, delivery, position)
        self.text = FoldedText(text, canBeShown: position != nil)?.text ?? text
    }

    /// The entry as rows of at most `columns`: time, name, text, and at the right end of the last row the mark.
    func rows(columns: Int, clock: (Timestamp) -> String = \.clockText) -> [TerminalScreen.Row] {
        let prefix: TerminalScreen.Row
        let style: TerminalScreen.Style
        switch author {
        case .me:
            style = .plain
            prefix = [.init(text: clock(time) + " ", style: .dim), .init(text: localized("me") + ": ", style: .mine)]
        case .contact(let name):
            style = .plain
            let shown = DisplayWidth.truncate(TerminalText.harmless(name), to: min(20, columns / 3))
            prefix = [.init(text: clock(time) + " ", style: .dim), .init(text: shown + ": ", style: .theirs)]
        case .elsewhere(let name):
            style = .plain
            let shown = DisplayWidth.truncate(TerminalText.harmless(name), to: min(20, columns / 4))
            prefix = [.init(text: clock(time) + " ", style: .dim), .init(text: "→ " + shown + ": ", style: .warning)]
        case .notice:
            style = .dim
            prefix = [.init(text: clock(time) + " * ", style: .dim)]
        case .divider: return [Timeline.divider(TerminalText.harmless(text), columns: columns)]
        }
        let indent = prefix.reduce(0) { $0 + DisplayWidth.of($1.text) }
        let room = max(2, columns - indent)
        var lines = TextWrapping.lines(of: TerminalText.harmless(text, keepingLines: true), columns: room)
        // The mark has a row of its own where the text leaves no room, also for the widest one: ticks must not move lines.
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

    /// Columns of the widest mark, `100%`, and of the space in front of it.
    private static let markRoom = 5
}

extension ConversationEntry.Delivery {
    fileprivate var style: TerminalScreen.Style {
        switch self {
        case .failed: .warning
        case .displayed: .mine
        default: .dim
        }
    }
}
