import Foundation
import ServerFixtures
import Testing

@Suite("The program before its window", .timeLimit(.minutes(5)))
struct ProgramTests {
    /// Waits until a program has ended.
    private func status(of program: PrivateProgram) async throws -> Int32? {
        let deadline = ContinuousClock.now + .seconds(75)
        while program.exitStatus == nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        return program.exitStatus
    }

    @Test("it prints its version, in the words of the terminal program, even without a display")
    func version() async throws {
        let environment: (String) -> [String: String] = { _ in ["DISPLAY": "", "WAYLAND_DISPLAY": "", "LC_ALL": "C"] }
        var answers: [String] = []
        for name in ["hongyan", "hongyan-desktop"] {
            let program = try PrivateProgram(name, environment: environment)
            try program.start(["--version"])
            #expect(try await status(of: program) == 0)
            answers.append(program.output)
        }
        #expect(answers.first?.hasPrefix("hongyan ") == true)
        #expect(answers.last == answers.first?.replacing("hongyan ", with: "hongyan-desktop "))
    }

    @Test(
        "it prints its usage with its name, in each language, even without a display",
        arguments: [
            ("C", "Usage: hongyan-desktop [", "start without a window"),
            ("zh_CN.UTF-8", "用法：hongyan-desktop [", "启动时不显示窗口"),
            ("zh_TW.UTF-8", "用法：hongyan-desktop [", "啟動時不顯示視窗"),
        ])
    func help(language: String, first: String, hidden: String) async throws {
        let program = try PrivateProgram("hongyan-desktop") { folder in
            [
                "DISPLAY": "", "WAYLAND_DISPLAY": "", "LC_ALL": "", "LANG": language, "LANGUAGE": "",
                "HONGYAN_LOCALE_DIR": "\(folder)/locale",
            ]
        }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let compiler = try await OutsideProgram.run([root + "/Scripts/translations", program.folder])
        try #require(compiler.status == 0, "\(compiler.output)")
        try program.start(["--help"])
        #expect(try await status(of: program) == 0)
        #expect(program.output.hasPrefix(first), "\(program.output)")
        #expect(!program.output.contains("im.hongyan"))
        #expect(program.output.contains("--version") && program.output.contains("--hidden"))
        #expect(program.output.contains(hidden))
    }
}
