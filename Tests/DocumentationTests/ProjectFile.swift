import Foundation

/// A text file of the project, by its path below the project's folder.
struct ProjectFile {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    let path: String
    let text: String

    init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// All Markdown files for readers.
    static func documents() throws -> [ProjectFile] {
        let files = FileManager.default
        var paths: [String] = []
        for folder in ["", "Documentation/"] {
            let names = try files.contentsOfDirectory(atPath: root.appending(path: folder).path(percentEncoded: false))
            paths += names.filter { $0.hasSuffix(".md") }.map { folder + $0 }
        }
        return try paths.sorted().map { try ProjectFile($0) }
    }

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The lines of each block fenced with three backticks and `language`.
    func codeBlocks(_ language: String) -> [String] {
        var blocks: [String] = []
        var block: [Substring]?
        for line in lines {
            if let open = block {
                if line == "```" {
                    blocks.append(open.joined(separator: "\n") + "\n")
                    block = nil
                } else {
                    block = open + [line]
                }
            } else if line == "```\(language)" {
                block = []
            }
        }
        return blocks
    }

    /// The targets of links and pictures that refer to a file, without fragments.
    var linkedFiles: [String] {
        text.matches(of: /\]\(([^)\s#:]+)(#[^)]*)?\)/).map { String($0.output.1) }
    }

    func exists(_ link: String) -> Bool {
        let folder = Self.root.appending(path: path).deletingLastPathComponent()
        return FileManager.default.fileExists(atPath: folder.appending(path: link).path(percentEncoded: false))
    }
}
