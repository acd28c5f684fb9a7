import Foundation

/// A desktop on a private bus that says how long its user has done nothing.
public final class PrivateIdleTime: Sendable {
    public enum Desktop: String, Sendable, CaseIterable {
        case gnome, kde
    }

    private let daemon: PrivateDaemon
    private let folder: String

    /// Blocks until it is running.
    public init(on bus: PrivateBus, like desktop: Desktop, idle: Duration) throws(FixtureError) {
        folder = try FixtureDirectory.make("idle")
        try FixtureDirectory.write(Self.text(idle), to: "\(folder)/idle")
        let script = (#filePath as NSString).deletingLastPathComponent + "/idle.py"
        // Debian's own Python, which has GObject.
        let command = Command(
            program: "setpriv",
            arguments: ["--pdeathsig", "KILL", "/usr/bin/python3", "-W", "ignore", script, desktop.rawValue],
            environment: bus.environment.merging(["HOME": folder]) { _, own in own }, directory: folder,
            outputFile: "\(folder)/output")
        daemon = try PrivateDaemon(command, name: "python3") { $0.contains("ready") }
    }

    deinit {
        daemon.end()
        FixtureDirectory.remove(folder)
    }

    /// The time since the last input.
    public func set(_ idle: Duration) throws(FixtureError) {
        try FixtureDirectory.write(Self.text(idle), to: "\(folder)/idle")
    }

    private static func text(_ idle: Duration) -> String { String(Int64(idle / .milliseconds(1))) }
}
