import ProgramFixtures
import TerminalFixtures

/// What a program in a terminal shows.
extension Program {
    /// The screen as it is now.
    func screen(columns: Int = 80, rows: Int = 24) -> VirtualTerminal {
        var terminal = VirtualTerminal(columns: columns, rows: rows)
        // What the shell's part of the terminal shows above the conversation may be of any width.
        let text = screenText
        let start = text.firstRange(of: "\u{1B}[?2004h")?.upperBound ?? text.endIndex
        terminal.write(String(text[start...]))
        return terminal
    }

    /// Returns when a text is on the screen.
    func waitForScreen(_ text: String, columns: Int = 80, rows: Int = 24) async throws {
        try await waitForOutput(text) { _ in screen(columns: columns, rows: rows).text.contains(text) }
    }
}
