internal import Glibc
internal import Synchronization
internal import TerminalApp

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
