import Foundation
import Testing

@Suite("Views get models")
struct ViewModelTests {
    /// Types that give access to everything. Only the application context, windows and code without a window use them.
    private static let everything = ["AppContext", "ChatHome", "DesktopProgram", "MainWindow", "LocalStore"]
    private static let folders: Set = ["Application", "Notifications"]

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

    /// The top-level declarations of the module, each with the folder of its file and the name of the type.
    private static func declarations() throws -> [(folder: String, type: String, text: String)] {
        var all: [(folder: String, type: String, text: String)] = []
        for (path, text) in try files() {
            let folder = path.split(separator: "/").first.map(String.init) ?? ""
            for line in text.split(separator: "\n").map(String.init) {
                if let start = line.prefixMatch(
                    of: /(?:[a-z@][a-zA-Z ]* )?(class|struct|enum|protocol|extension) (\w+)/)
                {
                    all.append((folder, String(start.2), ""))
                }
                guard let last = all.indices.last, !line.drop(while: \.isWhitespace).hasPrefix("//") else { continue }
                all[last].text += line + "\n"
            }
        }
        return all
    }

    @Test("views and rows do not use the application context")
    func views() throws {
        let views = try Self.declarations().filter { !Self.folders.contains($0.folder) && !$0.type.hasSuffix("Window") }
        #expect(views.count > 60, "the sources are not in the expected folder")
        for view in views {
            let words = Set(view.text.split { !$0.isLetter }.map(String.init))
            #expect(words.isDisjoint(with: Self.everything), "\(view.type) uses \(words.intersection(Self.everything))")
        }
    }

    /// Types that access a file before the main loop starts or after it has ended.
    private static let beforeAndAfter: Set = ["ProgramIcon", "MainLoopReport", "DesktopProgram"]

    @Test("files are read and written in functions that do not run on the main thread")
    func fileAccess() throws {
        let access = /FileManager|FileHandle|contents\(atPath|(Data|String)\(contentsOf|write\(to/
        var found = 0
        for (_, type, text) in try Self.declarations() where !Self.beforeAndAfter.contains(type) {
            var (function, before) = ("", "")
            for line in text.split(separator: "\n").map(String.init) {
                if line.contains(/\b(func|init|var)\b/) { function = (line.contains("func") ? before : "") + line }
                before = line
                guard line.contains(access) else { continue }
                found += 1
                #expect(function.contains("nonisolated") || function.contains("@concurrent"), "\(type): \(line)")
            }
        }
        #expect(found > 4, "the sources are not in the expected folder")
    }
}
