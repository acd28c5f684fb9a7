internal import Glibc

/// Unbuffered writes of whole texts to standard output and standard error.
package enum StandardOutput {
    package static func write(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    package static func writeLine(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// The importance of a line in the journal of the system (sd-daemon(3)).
    package enum Level: Int, Sendable {
        case error = 3
        case warning = 4
        case information = 6
    }

    /// Whether standard error is the journal, as the variable of the service manager says (systemd.exec(5)).
    private static let isJournal: Bool = {
        guard let stream = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        return fstat(STDERR_FILENO, &status) == 0 && String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }()

    /// Writes a line to standard error: progress and reasons, never data.
    package static func report(_ line: String, _ level: Level = .information) {
        write((isJournal ? "<\(level.rawValue)>" : "") + line + "\n", to: STDERR_FILENO)
    }

    package static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if errno != EINTR {
                // A closed pipe is not an error.
                return
            }
        }
    }
}
