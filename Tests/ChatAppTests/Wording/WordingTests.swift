import Foundation
import ServerFixtures
import Testing

@Suite("Wording of failures")
struct WordingTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// Where codes are declared as values, and by which pattern.
    private static let declarations: [(type: String, file: String, pattern: String)] = [
        ("ClientError", "XMPPClient/ClientError.swift", #"public static let \w+ = Self\("([^"]+)"\)"#),
        ("StoreError", "ChatStore/StoreError.swift", #"public static let \w+ = Self\("([^"]+)"\)"#),
        ("GroupChatError", "Extensions/GroupChat/GroupChatError.swift", #"public static let \w+ = Self\("([^"]+)"\)"#),
        ("GroupChatError", "ChatEngine/Rooms/RoomState.swift", #"public static let \w+ = Self\("([^"]+)"\)"#),
        ("FailureReason", "ChatEngine/Sending/MessageDelivery.swift", #"public static let \w+ = "([^"]+)""#),
    ]
    /// Pairs of a type and a code.
    private static func codes() throws -> Set<[String]> {
        var codes: Set<[String]> = []
        func add(_ type: String, _ pattern: String, in text: String) throws {
            for match in text.matches(of: try Regex(pattern)) {
                if let code = match.output[1].substring { codes.insert([type, String(code)]) }
            }
        }
        for (type, file, pattern) in declarations {
            let before = codes.count
            try add(type, pattern, in: String(contentsOfFile: "\(root)/Sources/\(file)", encoding: .utf8))
            #expect(codes.count > before, "no codes in \(file)")
        }
        return codes
    }

    /// The words that are small in a title.
    private static let smallWords: Set = [
        "a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "this", "to", "with",
    ]

    @Test("titles of windows, pages and groups, buttons and menu entries are in Header Capitalization")
    func capitalization() throws {
        let folder = Self.root + "/Sources/ChatApp"
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let titles =
            #/(?:\b(?:Button|Window|WindowTitle|PreferencesGroup|PreferencesPage|PreferencesWindow)\(|\.(?:item|destructive|section)\(|\b(?:title|button|answer|accept): )\s*localized\(\s*"((?:[^"\\]|\\.)*)"/#
        var count = 0
        // The list of shortcuts consists of sentences.
        for file in files where file.hasSuffix(".swift") && !file.hasSuffix("/Shortcuts.swift") {
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            for match in text.matches(of: titles) {
                count += 1
                let words = match.output.1.replacing("_", with: "").replacing("%@", with: "").split(separator: " ")
                for (place, word) in words.enumerated() where place == 0 || !Self.smallWords.contains(String(word)) {
                    #expect(word.first(where: \.isLetter)?.isLowercase != true, "\(file): \(match.output.1)")
                }
            }
        }
        #expect(count > 120)
    }

    @Test("each failure has its own text, and none is English in Chinese", arguments: ["zh_CN", "zh_TW"])
    func chinese(_ language: String) async throws {
        let display = try PrivateDisplay.shared.get()
        let probe = try PrivateProgram("ChatAppProbe") { folder in
            display.environment.merging(
                ["LC_ALL": "", "LANGUAGE": "", "LANG": "\(language).UTF-8", "HONGYAN_LOCALE_DIR": "\(folder)/locale"]
            ) { _, own in own }
        }
        let compiler = try await OutsideProgram.run([Self.root + "/Scripts/translations", probe.folder])
        try #require(compiler.status == 0, "\(compiler.output)")
        let codes = try Self.codes()
        let file = probe.folder + "/codes"
        try codes.map { $0.joined(separator: "\t") }.joined(separator: "\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        try probe.start(["wording", file])
        let end = ContinuousClock.now + .seconds(60)
        while probe.isRunning, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }

        let lines = probe.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        let known = Set(lines.filter { $0.count == 3 }.map { [$0[0], $0[1]] })
        #expect(known.isSuperset(of: codes), "\(codes.subtracting(known))")
        #expect(known.count > codes.count + 60)
        for line in lines where line.count == 3 {
            // A command in backticks is typed as it stands, in every language.
            let sentence = line[2].replacing(/`hongyan [a-z -]+`/, with: "")
            #expect(sentence.contains(/\p{Han}/), "\(line)")
            #expect(!sentence.contains(/[A-Za-z]{2,}[ ,;:]+[A-Za-z]{2,}/), "\(line)")
        }
        #expect(lines.allSatisfy { $0.count == 3 }, "\(probe.output.prefix(400))")
    }
}
