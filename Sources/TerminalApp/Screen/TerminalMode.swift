internal import Glibc

/// The line discipline of the terminal: switched to single keys while a conversation is open, and always restored.
package struct TerminalMode: ~Copyable {
    private let descriptor: Int32
    private let original: termios

    /// Enables single keys, without echo and without turning Ctrl-C into a signal.
    ///
    /// - Returns: `nil` if `descriptor` is not a terminal.
    package static func singleKeys(on descriptor: Int32 = STDIN_FILENO) -> TerminalMode? {
        var original = termios()
        guard tcgetattr(descriptor, &original) == 0 else { return nil }
        var raw = original
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
        guard tcsetattr(descriptor, TCSADRAIN, &raw) == 0 else { return nil }
        return TerminalMode(descriptor: descriptor, original: original)
    }

    private init(descriptor: Int32, original: termios) {
        self.descriptor = descriptor
        self.original = original
    }

    deinit {
        var original = original
        tcsetattr(descriptor, TCSADRAIN, &original)
    }

    /// The columns and rows of the terminal at `descriptor`; 80 × 24 if they are unknown.
    package static func size(of descriptor: Int32 = STDOUT_FILENO) -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Reads a line without echo, for passwords. The prompt is written to the terminal, never to standard output.
    ///
    /// - Returns: `nil` if there is no terminal, or at its end.
    package static func readSecret(prompt: String) -> String? {
        ask(prompt, isShown: false)
    }

    /// Asks a question on the terminal, even if standard input or output is redirected.
    package static func readLine(prompt: String) -> String? {
        ask(prompt, isShown: true)
    }

    private static func ask(_ prompt: String, isShown: Bool) -> String? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var original = termios()
        guard tcgetattr(terminal, &original) == 0 else { return nil }
        if !isShown {
            var silent = original
            silent.c_lflag &= ~tcflag_t(ECHO)
            guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else { return nil }
        }
        defer {
            if !isShown {
                tcsetattr(terminal, TCSAFLUSH, &original)
                StandardOutput.write("\n", to: terminal)
            }
        }
        StandardOutput.write(prompt, to: terminal)
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(terminal, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
