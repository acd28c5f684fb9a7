internal import Glibc
internal import Synchronization
internal import TerminalApp
internal import TransportLayer

/// One line at the bottom of a terminal that is written over again and again.
final class StatusLine: Sendable {
    private let shown = Mutex("")

    /// Shows `text`, cut to the width of the terminal; what does not change the line writes nothing.
    func show(_ text: String) {
        let text = DisplayWidth.truncate(text, to: max(TerminalMode.size().columns - 1, 1))
        shown.withLock { shown in
            guard text != shown else { return }
            shown = text
            StandardOutput.write("\r" + text + "\u{1B}[K")
        }
    }

    /// Leaves the line as it is and goes to the next one.
    func finish() {
        shown.withLock { shown in
            if !shown.isEmpty { StandardOutput.write("\n") }
            shown = ""
        }
    }
}

/// How far a transfer is, on standard error: a line that counts up on a terminal, nothing but the end elsewhere.
final class ProgressLine: Sendable {
    private let label: String
    private let isTerminal: Bool
    private let shown = Mutex(-1)

    init(_ label: String) {
        self.label = label
        isTerminal = isatty(STDERR_FILENO) == 1
    }

    /// Reports a step; what does not change the line writes nothing.
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

    /// Takes the line away; what was done is said by the command itself.
    func finish() {
        shown.withLock { shown in
            if shown >= 0 { StandardOutput.write("\r\u{1B}[K", to: STDERR_FILENO) }
            shown = -1
        }
    }
}
