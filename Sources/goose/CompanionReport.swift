import CommandLine
import Foundation
internal import Localization
import Synchronization

/// Appends what was received and sent to a file, one JSON object a line, for those who check it.
final class CompanionReport: Sendable {
    private let file: Mutex<FileHandle?>

    /// - Parameter path: `nil` reports nothing.
    init(_ path: String?) throws(CommandError) {
        guard let path else {
            file = Mutex(nil)
            return
        }
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let handle = FileHandle(forWritingAtPath: path) else {
            throw CommandError(.failed, localized("%@ cannot be written.", path))
        }
        _ = try? handle.seekToEnd()
        file = Mutex(handle)
    }

    func write(_ members: [(String, JSONValue)]) {
        let line = JSONValue(members).description + "\n"
        file.withLock { try? $0?.write(contentsOf: Data(line.utf8)) }
    }
}
