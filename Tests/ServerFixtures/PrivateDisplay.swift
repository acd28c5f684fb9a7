import Foundation
import Glibc

/// An X server without a screen (Xvfb), for tests of windows; it ends with this object or with the test process.
public final class PrivateDisplay: Sendable {
    private let server: PrivateDaemon
    private let folder: String
    /// The value for `DISPLAY`, for example `:17`.
    public let name: String

    /// The display of this test process, for the windows of all tests.
    public static let shared = Result { () throws(FixtureError) in try PrivateDisplay() }

    /// - Parameter size: the size of the screen in pixels.
    public init(width: Int = 1280, height: Int = 1024) throws(FixtureError) {
        folder = try FixtureDirectory.make("display")
        let numberFile = "\(folder)/number"
        // The server selects a free number and writes it to a descriptor; 1 is its standard output.
        let command = Command(
            program: "sh",
            arguments: [
                "-c",
                """
                exec setpriv --pdeathsig KILL Xvfb -displayfd 3 -screen 0 \(width)x\(height)x24 -nolisten tcp -noreset \
                3>"$0"
                """, numberFile,
            ], directory: folder, outputFile: "\(folder)/output.log")
        server = try PrivateDaemon(command, name: "Xvfb") { _ in
            (try? String(contentsOfFile: numberFile, encoding: .utf8))?.hasSuffix("\n") ?? false
        }
        let number = (try? String(contentsOfFile: numberFile, encoding: .utf8)) ?? ""
        name = ":" + number.filter(\.isNumber)
    }

    deinit { FixtureDirectory.remove(folder) }

    /// The environment variables for GTK programs: this display, software rendering, fatal warnings, and nothing of the
    /// user's desktop.
    public var environment: [String: String] {
        [
            "DISPLAY": name, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "G_DEBUG": "fatal-criticals",
            "GTK_A11Y": "none", "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1", "GTK_USE_PORTAL": "0",
        ]
    }

    /// Sets the variables in this process; before GTK is first used.
    public func adopt() {
        unsetenv("WAYLAND_DISPLAY")
        for (name, value) in environment { setenv(name, value, 1) }
    }
}
