import Foundation
import Testing

@Suite("Lists that scripts keep", .timeLimit(.minutes(20)))
struct ListTests {
    @Test("the tables of supported extensions and doap.xml say what the sources say")
    func extensions() async throws {
        let script = try Program("Scripts/extensions", ["--check"])
        #expect(await script.end() == 0, "\(script.output)")
    }

    @Test("the compliance suites that are said to be complete are", arguments: ["Core", "Web", "IM", "Mobile"])
    func compliance(suite: String) throws {
        let page = try ProjectFile("Documentation/SupportedExtensions.md").text
        #expect(page.contains("| \(suite) | complete | complete |"))
        // Calls are not there, and the page says so.
        #expect(page.contains("| A/V Calling | not complete | not complete |"))
    }

    @Test("the notes about GTK are those of the functions that are used")
    func notes() async throws {
        let script = try Program("Scripts/api-notes", ["--check"])
        #expect(await script.end() == 0, "\(script.output)")
    }

    @Test("no catalogue has an entry that no source uses, or one twice")
    func translations() async throws {
        let script = try Program("Scripts/translations", ["--check"])
        #expect(await script.end() == 0, "\(script.output)")
    }

    @Test("no declaration of the sources is used by nothing")
    func unused() async throws {
        let script = try Program("Scripts/unused", ["--check"])
        #expect(await script.end() == 0, "\(script.output)")
    }

    /// What `Scripts/unicode-tables` writes.
    private static let unicodeTables = [
        "Sources/XMPPAddress/UnicodeTables.swift", "Sources/XMPPAddress/UnicodeMappings.swift",
        "Sources/TerminalApp/Text/WideCharacters.swift",
    ]

    @Test("all tables of Unicode properties are of the version that the script names")
    func unicodeVersion() throws {
        let script = try ProjectFile("Scripts/unicode-tables")
        let version = try #require(script.text.firstMatch(of: /version = "([0-9.]+)"/)).output.1
        for path in Self.unicodeTables {
            #expect(script.text.contains("\"\(path)\""))
            let named = try ProjectFile(path).text.matches(of: /Unicode Character Database ([0-9.]+[0-9])/)
            #expect(named.map(\.output.1) == [version], "\(path)")
        }
    }

    @Test("the standard library's Unicode is not newer than the tables")
    func standardLibrary() throws {
        let script = try ProjectFile("Scripts/unicode-tables").text
        let version = try #require(script.firstMatch(of: /version = "(\d+)\.(\d+)/)).output
        let tables = try (#require(Int(version.1)), #require(Int(version.2)))
        let newest = (UInt32(0)...0x10_FFFF).lazy.compactMap { Unicode.Scalar($0)?.properties.age }.max {
            ($0.major, $0.minor) < ($1.major, $1.minor)
        }
        let library = try #require(newest)
        #expect(library.major > 10)
        #expect(
            (library.major, library.minor) <= tables,
            "Run Scripts/unicode-tables with the data of Unicode \(library.major).\(library.minor).")
    }

    @Test("a behaviour counts only if a test with its number passed in the run that is looked at")
    func acceptanceOfRun() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("run-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let name = "S0-18, S0-72: a login in one step per line, with TLS and without"
        let other = try #require(
            try ProjectFile("Tests/XMPPAddressTests/JIDTests.swift").text.firstMatch(of: /@Test\(\s*"(S0-1\b[^"]*)"/)
        ).output.1
        // As the library writes them; the last one is of a process that crashed.
        let events = folder + "/events"
        let lines = """
            {"kind":"test","payload":{"kind":"function","id":"A/a()","name":"a()","displayName":"\(other)"},"version":"6.3.0"}
            {"kind":"test","payload":{"kind":"function","id":"B/b()","name":"b()","displayName":"\(name)"},"version":"6.3.0"}
            {"kind":"event","payload":{"kind":"testEnded","testID":"A/a()","messages":[{"symbol":"pass","text":""}]}}
            {"kind":"event","payload":{"kind":"issueRecorded","testID":"B/b()","issue":{"isKnown":false,"sourceLocation":\
            {"fileID":"B/B.swift","line":7}},"messages":[{"symbol":"fail","text":"1 is not 2"}]}}
            {"kind":"event","payload":{"kind":"testEnded","testID":"B/b()","messages":[{"symbol":"fail","text":""}]}}
            {"kind":"event","payl
            """
        try lines.write(toFile: events, atomically: true, encoding: .utf8)
        let script = try Program("Scripts/acceptance", ["--missing", "--events=" + events])
        #expect(await script.end() == 0)
        let missing = script.output.split(separator: "\n").filter { $0.contains("NO TEST") }.map { $0.prefix(8) }
        #expect(!missing.contains("S0-1    "))
        #expect(missing.contains("S0-2    ") || String(other).contains("S0-2"))
        #expect(missing.count > 150)

        let failures = try Program("Scripts/test-failures", [events])
        #expect(await failures.end() == 0)
        #expect(failures.output.contains("\(name)\n  B/B.swift:7: 1 is not 2\n"))
        #expect(!failures.output.contains(other))
    }

    @Test("the numbers in the names of tests are numbers of the list")
    func acceptance() async throws {
        let script = try Program("Scripts/acceptance", ["--check"])
        #expect(await script.end() == 0, "\(script.output)")
    }
}
