internal import Glibc
internal import Synchronization
internal import TerminalApp
internal import TransportLayer

/// A line at the bottom of a terminal that is overwritten with each update.
final class StatusLine: Sendable {
    private let shown = Mutex("")

    /// Shows `text`, truncated to the width of the terminal; does nothing if the line is unchanged.
    func show(_ text: String) {
        let text = DisplayWidth.truncate(text, to: max(TerminalMode.size().columns - 1, 1))
        shown.withLock { shown in
            guard text != shown else { return }
            shown = text
            StandardOutput.write("\r" + text + "\u{1B}[K")
        }
    }

    /// Leaves the line and moves to the next one.
    func finish() {
        shown.withLock { shown in
            if !shown.isEmpty { StandardOutput.write("\n") }
            shown = ""
        }
    }
}

/// The progress of a transfer on standard error: a line that counts up on a terminal, only the result elsewhere.
final class ProgressLine: Sendable {
    private let label: String
    private let isTerminal: Bool
    private let shown = Mutex(-1)

    init(_ label: String) {
        self.label = label
        isTerminal = isatty(STDERR_FILENO) == 1
    }

    /// Reports progress; does nothing if the line is unchanged.
    func advance(completed: Int64, total: Int64?) {
        guard isTerminal, let total, total > 0 else { return }
        let percent = Int(min(100, completed * 100 / total))
        shown.withLock { shown in
            guard percent != shown else { return }
            shown = percent
            StandardOutput.write("\r\(label) \(percent) %\u{1B}[K", to: STDERR_FILENO)
        }
    }

    var handler: @Sendable (HTTPProgress) -> Void {
        { self.advance(completed: $0.completed, total: $0.total) }
    }

    /// Removes the line; the command itself reports the result.
    func finish() {
        shown.withLock { shown in
            if shown >= 0 { StandardOutput.write("\r\u{1B}[K", to: STDERR_FILENO) }
            shown = -1
        }
    }
}
