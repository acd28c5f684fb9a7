import Foundation
import Testing

/// `Documentation/Security.md` matches the tests.
@Suite("The table of attacks")
struct AttackTableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("every attack is listed once")
    func complete() {
        let ids = Attack.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(ids.count == 166)
        #expect(Attack.all.allSatisfy { !$0.name.isEmpty && !$0.place.isEmpty })
        #expect(Set(Attack.published.keys).isSubset(of: ids))
    }

    @Test("every listed test exists")
    func tests() throws {
        var sources: [String: String] = [:]
        for name in Set(Attack.all.flatMap(\.tests)) {
            let words = name.split(separator: "/").map(String.init)
            try #require(words.count == 3, "\(name)")
            let folder = Self.root.appending(path: "Tests/\(words[0])")
            let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            let found = try files.filter { $0.hasSuffix(".swift") }.contains { file in
                let path = folder.appending(path: file).path
                let text = try sources[path] ?? String(contentsOfFile: path, encoding: .utf8)
                sources[path] = text
                let holdsSuite = text.contains("struct \(words[1])") || text.contains("extension \(words[1])")
                return holdsSuite && text.contains("func \(words[2])(")
            }
            #expect(found, "There is no test \(name).")
        }
    }

    @Test("the page matches the test suite")
    func document() throws {
        let file = Self.root.appending(path: "Documentation/Security.md")
        if ProcessInfo.processInfo.environment["HONGYAN_ATTACK_TABLE"] == "write" {
            try Attack.document.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == Attack.document, "Run Scripts/attack --table.")
    }
}
