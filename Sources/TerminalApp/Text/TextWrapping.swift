internal import ChatModel
internal import Localization

/// Wraps text into lines of limited width.
///
/// Lines break at whitespace except no-break spaces, or between any two characters of a script without spaces (Chinese, Japanese). A word
/// longer than the line is split.
package enum TextWrapping {
    package static func lines(of text: String, columns: Int) -> [String] {
        let columns = max(columns, 2)
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { wrap($0, columns: columns) }
    }

    private static func wrap(_ paragraph: Substring, columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var lineWidth = 0
        for piece in pieces(of: paragraph) {
            let width = DisplayWidth.of(piece)
            if lineWidth + width <= columns {
                line += piece
                lineWidth += width
                continue
            }
            // Whitespace that does not fit ends the line and is dropped.
            if piece.allSatisfy(isBreakable) {
                lines.append(line)
                line = ""
                lineWidth = 0
                continue
            }
            if lineWidth > 0 {
                lines.append(trimmingEnd(line))
                line = ""
                lineWidth = 0
            }
            for character in piece {
                let width = DisplayWidth.of(character)
                if lineWidth + width > columns {
                    lines.append(line)
                    line = ""
                    lineWidth = 0
                }
                line.append(character)
                lineWidth += width
            }
        }
        lines.append(line)
        return lines
    }

    /// Runs of whitespace, runs of narrow characters, and single wide ones.
    private static func pieces(of text: Substring) -> [Substring] {
        var pieces: [Substring] = []
        var start = text.startIndex
        var previous: Character?
        for index in text.indices {
            let character = text[index]
            if let last = previous {
                let breaks =
                    isBreakable(last) != isBreakable(character)
                    || (DisplayWidth.of(last) == 2 || DisplayWidth.of(character) == 2)
                        && !joining.contains(last) && !joining.contains(character)
                // Closing punctuation stays with the preceding character.
                if breaks && !closing.contains(character) {
                    pieces.append(text[start..<index])
                    start = index
                }
            }
            previous = character
        }
        if start < text.endIndex { pieces.append(text[start...]) }
        return pieces
    }

    /// Spaces at which no line breaks, between Chinese characters too (Unicode Standard Annex #14, class GL).
    private static let joining: Set<Character> = ["\u{A0}", "\u{2007}", "\u{202F}"]

    private static func isBreakable(_ character: Character) -> Bool {
        character.isWhitespace && !joining.contains(character)
    }

    private static let closing: Set<Character> = [
        ",", ".", "!", "?", ";", ":", ")", "，", "。", "！", "？", "；", "：", "）", "」", "』", "、", "”", "’",
    ]

    private static func trimmingEnd(_ line: String) -> String {
        var line = line
        while line.last?.isWhitespace == true { line.removeLast() }
        return line
    }
}

/// Truncates a text that is too long to be shown whole, by the same rule as the desktop program.
enum TextFolding {
    /// About two screens of 80 × 24 in code points, and about one screen in lines, so that scrolling text is still
    /// readable.
    static let limits: TextFold.Limits = {
        var limits = TextFold.Limits.message
        (limits.length, limits.lines, limits.wordLength) = (4000, 30, 4000)
        return limits
    }()

    /// `text`, or its shown part and the number of omitted code points.
    static func folded(_ text: String) -> String {
        let fold = TextFold(text, limits)
        guard fold.isFolded else { return text }
        let more = text.unicodeScalars.count - fold.text.unicodeScalars.count
        return fold.text + localized("… (%@ more characters)", max(1, more))
    }
}
