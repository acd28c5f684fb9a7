internal import Foundation

/// The input line: text, cursor and history.
struct InputLine {
    private(set) var text: [Character] = []
    private(set) var cursor = 0
    private var history: [String] = []
    private var historyPosition: Int?
    private var draft: [Character] = []

    /// The number of lines in the history.
    private static let maximumHistory = 200

    var string: String { String(text) }
    var isEmpty: Bool { text.isEmpty }

    /// Applies an editing key; ignores other keys.
    ///
    /// - Returns: whether the text changed (moving the cursor does not count).
    mutating func apply(_ key: KeyDecoder.Key) -> Bool {
        let before = text
        switch key {
        case .text(let inserted):
            text.insert(contentsOf: inserted, at: cursor)
            cursor += inserted.count
            rejoin()
        case .backspace where cursor > 0:
            cursor -= 1
            text.remove(at: cursor)
        case .delete where cursor < text.count: text.remove(at: cursor)
        case .left where cursor > 0: cursor -= 1
        case .right where cursor < text.count: cursor += 1
        case .home: cursor = 0
        case .end: cursor = text.count
        case .wordLeft: cursor = wordStart(before: cursor)
        case .wordRight: cursor = wordEnd(after: cursor)
        case .deleteWord:
            let start = wordStart(before: cursor)
            text.removeSubrange(start..<cursor)
            cursor = start
        case .deleteToStart:
            text.removeSubrange(0..<cursor)
            cursor = 0
        case .deleteToEnd: text.removeSubrange(cursor...)
        case .up: recall(-1)
        case .down: recall(1)
        default: break
        }
        return text != before
    }

    /// Replaces the text and moves the cursor to its end.
    mutating func replace(with text: String) {
        self.text = Array(text)
        cursor = self.text.count
    }

    /// Clears the line and returns its text, which is added to the history.
    ///
    /// - Parameter isSecret: whether to omit it from the history.
    mutating func take(isSecret: Bool = false) -> String {
        let line = string
        if !isSecret, !line.isEmpty, history.last != line { history.append(line) }
        if history.count > Self.maximumHistory { history.removeFirst() }
        text = []
        cursor = 0
        historyPosition = nil
        return line
    }

    /// The part of the line around the cursor that fits into `columns`, and the column of the cursor in it.
    ///
    /// - Parameter isSecret: whether to show dots, as for a password.
    func window(columns: Int, isSecret: Bool = false) -> (text: String, cursorColumn: Int) {
        let shown: [Character] = text.map { isSecret ? "•" : $0.isNewline ? "⏎" : $0 }
        var start = cursor
        var width = 0
        while start > 0 {
            let next = DisplayWidth.of(shown[start - 1])
            guard width + next < columns else { break }
            width += next
            start -= 1
        }
        let cursorColumn = width
        var end = cursor
        while end < shown.count {
            let next = DisplayWidth.of(shown[end])
            guard width + next < columns else { break }
            width += next
            end += 1
        }
        return (String(shown[start..<end]), cursorColumn)
    }

    /// Combining characters that arrive alone join the preceding character.
    private mutating func rejoin() {
        let head = Array(String(text[..<cursor]))
        text = head + text[cursor...]
        cursor = head.count
    }

    private mutating func recall(_ step: Int) {
        guard !history.isEmpty else { return }
        if historyPosition == nil { draft = text }
        let position = (historyPosition ?? history.count) + step
        guard position >= 0 else { return }
        if position >= history.count {
            historyPosition = nil
            text = draft
        } else {
            historyPosition = position
            text = Array(history[position])
        }
        cursor = text.count
    }

    private func wordStart(before position: Int) -> Int {
        var index = position
        while index > 0, text[index - 1].isWhitespace { index -= 1 }
        while index > 0, !text[index - 1].isWhitespace { index -= 1 }
        return index
    }

    private func wordEnd(after position: Int) -> Int {
        var index = position
        while index < text.count, text[index].isWhitespace { index += 1 }
        while index < text.count, !text[index].isWhitespace { index += 1 }
        return index
    }
}

/// Completes file paths like a shell.
enum PathCompletion {
    /// Larger folders are not searched, so that a key press never takes noticeable time.
    private static let maximumEntries = 10_000

    /// The longest completion of `typed`, and the alternatives if it is ambiguous.
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
