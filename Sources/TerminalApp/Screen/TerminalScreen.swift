internal import Glibc

/// Permanent lines that scroll up, a few live lines below them that can still change, and one input line at the bottom.
///
/// Final content is written as plain lines into the scrollback of the terminal, so that a conversation can be scrolled,
/// selected and copied with the terminal's own functions. Only the last lines are redrawn, for example when a check
/// mark appears behind a message.
package struct TerminalScreen {
    package enum Style: String {
        case plain = ""
        case dim = "\u{1B}[2m"
        case bold = "\u{1B}[1m"
        case mine = "\u{1B}[36m"
        case theirs = "\u{1B}[32m"
        case warning = "\u{1B}[33m"
        case failure = "\u{1B}[31m"
        case blue = "\u{1B}[34m"
        case magenta = "\u{1B}[35m"
        case brightGreen = "\u{1B}[92m"
        case brightBlue = "\u{1B}[94m"
        case brightMagenta = "\u{1B}[95m"

        /// The colour of a person in a room, the same on every screen and day.
        static func colour(of name: String) -> Style {
            let colours: [Style] = [.theirs, .blue, .magenta, .brightGreen, .brightBlue, .brightMagenta]
            let hash = name.utf8.reduce(5381 as UInt32) { $0 &* 33 ^ UInt32($1) }
            return colours[Int(hash % UInt32(colours.count))]
        }
    }

    /// A run of text in one style.
    package struct Span: Equatable {
        package var text: String
        package var style: Style

        package init(text: String, style: Style = .plain) {
            self.text = text
            self.style = style
        }

        package func rendered(inColour usesColour: Bool) -> String {
            usesColour && style != .plain && !text.isEmpty ? style.rawValue + text + "\u{1B}[0m" : text
        }
    }

    /// Whether standard output may have colours: on a terminal that supports them, unless they are disabled.
    package static var standardOutputUsesColour: Bool {
        guard isatty(STDOUT_FILENO) == 1, let terminal = getenv("TERM") else { return false }
        let isUnwanted = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        return !isUnwanted && strcmp(terminal, "dumb") != 0
    }

    /// A row of the terminal; never wider than ``columns``.
    package typealias Row = [Span]

    var prompt = "> "
    /// Shown dimmed in the empty input row: who is typing, or a hint.
    var status = ""
    /// Whether to show dots instead of the input.
    var isSecret = false
    private let usesColour: Bool
    private let size: () -> (columns: Int, rows: Int)
    private let write: (String) -> Void
    private var liveRowCount = 0

    init(
        usesColour: Bool, size: @escaping () -> (columns: Int, rows: Int), write: @escaping (String) -> Void
    ) {
        self.usesColour = usesColour
        self.size = size
        self.write = write
    }

    /// A screen on standard output; without colours if `NO_COLOR` is set or the terminal is dumb.
    static func standardOutput() -> TerminalScreen {
        TerminalScreen(usesColour: standardOutputUsesColour, size: { TerminalMode.size() }) { StandardOutput.write($0) }
    }

    /// The layout is not readable with fewer than 20 columns.
    var columns: Int { max(size().columns, 20) }

    var rows: Int { max(size().rows, 4) }

    /// The maximum number of live rows above the input row: half of the screen, so that final ones stay visible.
    var maximumLiveRows: Int { max(size().rows / 2, 1) }

    /// Enables or disables bracketed paste in the terminal.
    func setBracketedPaste(_ isOn: Bool) {
        write(isOn ? "\u{1B}[?2004h" : "\u{1B}[?2004l")
    }

    /// Writes `final` rows permanently, then draws the `live` ones and the input row below them.
    mutating func show(final: [Row] = [], live: [Row], input: InputLine) {
        var output = "\r"
        if liveRowCount > 0 { output += "\u{1B}[\(liveRowCount)A" }
        output += "\u{1B}[J"
        for row in final + live {
            output += row.map(render).joined() + "\r\n"
        }
        liveRowCount = live.count
        write(output + inputRow(input))
    }

    /// Clears the visible part of the screen; the next rows start at its top.
    mutating func clear() {
        liveRowCount = 0
        write("\u{1B}[2J\u{1B}[H")
    }

    /// Ends drawing and leaves the rows of `last` in place.
    mutating func finish(last: [Row]) {
        var output = "\r"
        if liveRowCount > 0 { output += "\u{1B}[\(liveRowCount)A" }
        output += "\u{1B}[J"
        for row in last { output += row.map(render).joined() + "\r\n" }
        liveRowCount = 0
        write(output)
    }

    /// Rings the bell to get the user's attention.
    func ring() {
        write("\u{7}")
    }

    private func inputRow(_ input: InputLine) -> String {
        let room = columns - DisplayWidth.of(prompt) - 1
        let (text, cursorColumn) = input.window(columns: room, isSecret: isSecret)
        var row = prompt + text
        if input.isEmpty && !status.isEmpty {
            row += render(Span(text: DisplayWidth.truncate(status, to: room), style: .dim))
        }
        let column = DisplayWidth.of(prompt) + cursorColumn
        return row + "\r" + (column > 0 ? "\u{1B}[\(column)C" : "")
    }

    private func render(_ span: Span) -> String { span.rendered(inColour: usesColour) }
}
