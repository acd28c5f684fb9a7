internal import Foundation
internal import Glibc
internal import Synchronization
package import UserProfile

/// What programs and models have done with the accounts, for a person to read: `automation.log` in the profile, a line
/// for each call, readable for its owner only.
///
///     2026-11-26T12:03:27Z  mcp “Some client”  message.send → romeo@montague.example  sent
///
/// It contains no texts of messages unless the owner wants that.
package final class ActivityLog: Sendable {
    package let path: String
    /// At this size the log is renamed to `automation.log.1`, in place of the previous one: some 8,000 calls.
    private static let sizeLimit: off_t = 1 << 20
    private let turn = Mutex(())

    package init(_ profile: Profile) { path = profile.folder + "/automation.log" }

    /// Adds a line. A log that cannot be written stops nothing.
    package func write(_ parts: [String]) {
        let time = ISO8601DateFormatter().string(from: Date())
        // A line stays one line, whatever a client has sent.
        let line = ([time] + parts).map(Self.oneLine).joined(separator: "  ") + "\n"
        turn.withLock { _ in
            let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            _ = Array(line.utf8).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_size > Self.sizeLimit { rename(path, path + ".1") }
        }
    }

    private static func oneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
