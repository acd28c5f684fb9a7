import Foundation
import Testing

@Suite("Views get models")
struct ViewModelTests {
    /// Types that reach everything. The application context, windows and what runs without one know them.
    private static let everything = ["AppContext", "ChatHome", "DesktopProgram", "MainWindow", "LocalStore"]
    private static let folders: Set = ["Application", "MainWindow/MainWindow.swift", "Notifications"]

    private static var sources: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources/ChatApp")
            .standardizedFileURL
    }

    /// The Swift files of the module, by their path in it.
    private static func files() throws -> [(path: String, text: String)] {
        let root = sources.path()
        let names = try #require(FileManager.default.enumerator(atPath: root)).compactMap { $0 as? String }
        return try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
            (name, try String(contentsOfFile: root + "/" + name, encoding: .utf8))
        }
    }

    @Test("views and rows name nothing that reaches everything")
    func views() throws {
        let views = try Self.files().filter { path, _ in
            !path.hasSuffix("Window.swift") && !Self.folders.contains { path.hasPrefix($0) }
        }
        #expect(views.count > 60, "the sources are not where they are looked for")
        for (path, text) in views {
            let code = text.split(separator: "\n").filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
            let words = Set(code.joined(separator: "\n").split { !$0.isLetter }.map(String.init))
            #expect(words.isDisjoint(with: Self.everything), "\(path) names \(words.intersection(Self.everything))")
        }
    }

    /// What looks once at the program's own link when it starts, and what writes figures after the loop has ended.
    private static let beforeAndAfter: Set = ["Application/ProgramIcon.swift", "Application/TurnReport.swift"]

    @Test("files are read and written in functions that do not run on the main thread")
    func fileAccess() throws {
        let access = /FileManager|FileHandle|contents\(atPath|(Data|String)\(contentsOf|write\(to/
        var found = 0
        for (path, text) in try Self.files() where !Self.beforeAndAfter.contains(path) {
            var (function, before) = ("", "")
            for line in text.split(separator: "\n").map(String.init) {
                if line.contains(/\b(func|init|var)\b/) { function = (line.contains("func") ? before : "") + line }
                before = line
                guard line.contains(access) else { continue }
                found += 1
                #expect(function.contains("nonisolated") || function.contains("@concurrent"), "\(path): \(line)")
            }
        }
        #expect(found > 4, "the sources are not where they are looked for")
    }
}
