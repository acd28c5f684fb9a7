import Foundation

/// A notification server on a private desktop, which records notifications instead of showing them.
///
/// Through the interface `im.hongyan.Test` of `/org/freedesktop/Notifications` a test clicks (`Click`), replies
/// (`Reply`) and dismisses (`Dismiss`).
public final class PrivateNotifications: Sendable {
    /// The capabilities of a desktop that supports replies in a notification.
    public static let typing = ["body", "body-markup", "actions", "inline-reply"]
    public static let plain = ["body", "actions"]

    /// Debian's own Python, which has GObject.
    static let words = [
        "/usr/bin/python3", "-W", "ignore", (#filePath as NSString).deletingLastPathComponent + "/notifications.py",
    ]

    /// For a bus that starts it on the first notification.
    public static var service: (name: String, command: String) {
        ("org.freedesktop.Notifications", words.joined(separator: " "))
    }

    private let daemon: PrivateDaemon
    private let file: String
    private let address: String

    /// Blocks until it is running.
    public init(on bus: PrivateBus, capabilities: [String]) throws(FixtureError) {
        let folder = try FixtureDirectory.make("notifications")
        address = bus.address
        file = "\(folder)/notifications"
        let command = Command(
            program: "setpriv", arguments: ["--pdeathsig", "KILL"] + Self.words + capabilities,
            environment: bus.environment.merging(["HOME": folder]) { _, own in own }, directory: folder,
            outputFile: "\(folder)/output")
        daemon = try PrivateDaemon(command, name: "python3") { $0.contains("ready") }
    }

    /// Sends a reply, like a user.
    public func type(_ text: String, intoNumber number: Int) async throws(FixtureError) {
        let (status, output) = try await OutsideProgram.run([
            "dbus-send", "--bus=\(address)", "--print-reply", "--dest=org.freedesktop.Notifications",
            "/org/freedesktop/Notifications", "im.hongyan.Test.Reply", "uint32:\(number)", "string:\(text)",
        ])
        guard status == 0 else { throw FixtureError(.commandFailed, output) }
    }

    public func end() { daemon.end() }

    /// All recorded calls, as lines of JSON.
    public var lines: [String] {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }
}
