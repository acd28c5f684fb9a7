/// The row above the input: `── goose · online ───────────── online ──`.
struct StatusRow {
    /// The open conversation.
    var left: (text: String, style: TerminalScreen.Style)
    /// The account and the connection.
    var right: (text: String, style: TerminalScreen.Style)

    /// Columns reserved for the right part, if it needs them, so that the state of the connection is always visible.
    private static let rightRoom = 18

    func row(columns: Int) -> TerminalScreen.Row {
        let edge = "── "
        let room = max(0, columns - 2 * DisplayWidth.of(edge) - 1)
        let (whole, mine) = (TerminalText.harmless(left.text), TerminalText.harmless(right.text))
        let kept = min(DisplayWidth.of(mine), max(Self.rightRoom, room - DisplayWidth.of(whole) - 2))
        let left = DisplayWidth.truncate(whole, to: max(0, room - kept - 2))
        let right = DisplayWidth.truncate(mine, to: max(0, room - DisplayWidth.of(left) - 2))
        let gap =
            columns - DisplayWidth.of(edge) - DisplayWidth.of(left) - 1
            - (right.isEmpty ? 0 : DisplayWidth.of(right) + 2 + 2)
        var row: TerminalScreen.Row = [
            .init(text: edge, style: .dim), .init(text: left, style: self.left.style),
            .init(text: " " + String(repeating: "─", count: max(0, gap)), style: .dim),
        ]
        if !right.isEmpty {
            row += [
                .init(text: " ", style: .dim), .init(text: right, style: self.right.style),
                .init(text: " ──", style: .dim),
            ]
        }
        return row
    }
}
