import Foundation
import Testing

@testable import ChatApp

@Suite("Starting at login")
struct AutostartTests {
    @Test("a desktop file starts this program without a window; it is removed again, and a hidden one counts as off")
    func file() async throws {
        let folder = NSTemporaryDirectory() + "autostart-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let start = Autostart("im.hongyan.Hongyan", environment: ["XDG_CONFIG_HOME": folder, "HOME": "/nowhere"])
        #expect(start.path == folder + "/autostart/im.hongyan.Hongyan.desktop")
        #expect(await !start.isOn())
        #expect(await start.turn(true))
        #expect(await start.isOn())
        let text = try String(contentsOfFile: start.path, encoding: .utf8)
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #expect(text.hasPrefix("[Desktop Entry]\nType=Application\n"))
        #expect(text.contains("\nExec=\"\(program)\" --hidden\n"))
        // The desktop's own settings turn it off in this way.
        try (text + "Hidden=true\n").write(toFile: start.path, atomically: true, encoding: .utf8)
        #expect(await !start.isOn())
        #expect(await start.turn(true))
        #expect(await start.isOn())
        #expect(await start.turn(false))
        #expect(await !start.isOn())
        #expect(!FileManager.default.fileExists(atPath: start.path))
    }

    @Test(
        "without an absolute XDG_CONFIG_HOME the folder is in the home folder; a folder that cannot be written is reported",
        arguments: [nil, "", "relative"])
    func home(_ configured: String?) async {
        var environment = ["HOME": "/proc/nowhere"]
        environment["XDG_CONFIG_HOME"] = configured
        let start = Autostart("test", environment: environment)
        #expect(start.path == "/proc/nowhere/.config/autostart/test.desktop")
        #expect(await !start.turn(true))
    }
}
