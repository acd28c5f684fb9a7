internal import Foundation

/// Completes the path of a file as a shell does.
enum PathCompletion {
    /// Folders with more entries are not searched: a key press must not take noticeable time.
    private static let maximumEntries = 10_000

    /// The longest text to which `typed` can be completed, and what there is to choose from when that is not clear.
    static func complete(_ typed: String) -> (text: String, choices: [String]) {
        let slash = typed.lastIndex(of: "/").map(typed.index(after:)) ?? typed.startIndex
        let folder = String(typed[..<slash])
        let beginning = String(typed[slash...])
        let path = folder.isEmpty ? "." : (folder as NSString).expandingTildeInPath
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path), names.count <= maximumEntries
        else {
            return (typed, [])
        }
        let matches = names.filter { $0.hasPrefix(beginning) && (!$0.hasPrefix(".") || beginning.hasPrefix(".")) }
            .sorted()
        guard let first = matches.first else { return (typed, []) }
        let common = matches.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        guard matches.count == 1 else { return (folder + common, matches) }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path + "/" + common, isDirectory: &isFolder)
        return (folder + common + (exists && isFolder.boolValue ? "/" : ""), [])
    }
}
