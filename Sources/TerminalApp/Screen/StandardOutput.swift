internal import Glibc

/// Unbuffered writes of whole texts to standard output and standard error.
package enum StandardOutput {
    package static func write(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    package static func writeLine(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes a line to standard error: progress and reasons, never data.
    package static func report(_ line: String) {
        write(line + "\n", to: STDERR_FILENO)
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
