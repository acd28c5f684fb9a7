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
        case failed(String)

        var mark: String {
            switch self {
            case .sending: "…"
            case .transferring(let percent): "\(percent)%"
            case .onServer: "✓"
            case .delivered: "✓✓"
            case .failed: "✗"
            }
        }

        /// Whether the line can still change.
        var isFinal: Bool {
            switch self {
            case .sending, .transferring, .onServer: false
            case .delivered, .failed: true
            }
        }
    }

    var id: String
    var author: Author
    var time: Timestamp
    var text: String
    var delivery: Delivery?

    /// The entry as rows of at most `columns`: time, name, text, and at the right end of the last row the mark.
    func rows(columns: Int, clock: (Timestamp) -> String = \.clockText) -> [TerminalScreen.Row] {
        let prefix: TerminalScreen.Row
        let style: TerminalScreen.Style
        switch author {
        case .me:
            style = .mine
            prefix = [.init(text: clock(time) + " ", style: .dim), .init(text: localized("me") + ": ", style: .mine)]
        case .contact(let name):
            style = .plain
            let shown = DisplayWidth.truncate(TerminalText.harmless(name), to: max(6, min(20, columns / 3)))
            prefix = [.init(text: clock(time) + " ", style: .dim), .init(text: shown + ": ", style: .theirs)]
        case .elsewhere(let name):
            style = .plain
            let shown = DisplayWidth.truncate(TerminalText.harmless(name), to: max(6, min(20, columns / 3)))
            prefix = [.init(text: clock(time) + " ", style: .dim), .init(text: "→ " + shown + ": ", style: .warning)]
        case .notice:
            style = .dim
            prefix = [.init(text: clock(time) + " * ", style: .dim)]
        }
        let indent = prefix.reduce(0) { $0 + DisplayWidth.of($1.text) }
        // Room for the widest mark, "100%", and the space in front of it.
        let markRoom = delivery == nil ? 0 : 5
        let lines = TextWrapping.lines(
            of: TerminalText.harmless(text, keepingLines: true), columns: columns - indent - markRoom)
        return lines.enumerated().map { index, line in
            var row: TerminalScreen.Row =
                index == 0 ? prefix : [.init(text: String(repeating: " ", count: indent))]
            row.append(.init(text: line, style: author == .notice ? .dim : style == .mine ? .plain : style))
            if index == lines.count - 1, let delivery {
                let mark = delivery.mark
                let used = indent + DisplayWidth.of(line)
                let gap = max(1, columns - used - DisplayWidth.of(mark))
                row.append(.init(text: String(repeating: " ", count: gap)))
                row.append(.init(text: mark, style: delivery.style))
            }
            return row
        }
    }
}

extension ConversationEntry.Delivery {
    fileprivate var style: TerminalScreen.Style {
        switch self {
        case .failed: .warning
        case .delivered: .mine
        default: .dim
        }
    }
}
