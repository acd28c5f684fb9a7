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

    @Test("it says which release it is, in the words of the terminal program, also without a display")
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
        let help = try PrivateProgram("hongyan-desktop", environment: environment)
        try help.start(["--help"])
        #expect(try await status(of: help) == 0)
        #expect(help.output.contains("--version") && help.output.contains("--hidden"))
    }
}
