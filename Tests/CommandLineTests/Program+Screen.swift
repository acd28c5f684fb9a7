import ProgramFixtures
import TerminalFixtures

/// The screen of a program in a terminal.
extension Program {
    /// The current content of the screen.
    func screen(columns: Int = 80, rows: Int = 24) -> VirtualTerminal {
        var terminal = VirtualTerminal(columns: columns, rows: rows)
        // The output of the shell above the conversation may have any width.
        let text = screenText
        let start = text.firstRange(of: "\u{1B}[?2004h")?.upperBound ?? text.endIndex
        terminal.write(String(text[start...]))
        return terminal
    }

    /// Waits until a text is on the screen.
    func waitForScreen(_ text: String, columns: Int = 80, rows: Int = 24) async throws {
        try await waitForOutput(text) { _ in screen(columns: columns, rows: rows).text.contains(text) }
    }
}
