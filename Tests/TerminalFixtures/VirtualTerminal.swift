internal import TerminalApp

/// A terminal in memory: interprets the output of ``TerminalScreen``, and wraps lines like real ones.
package struct VirtualTerminal {
    package let columns: Int
    package let rows: Int
    package private(set) var lines: [[Character]] = [[]]
    /// The row in which the visible part begins.
    private var top = 0
    private var row = 0
    private var column = 0
    private var pending = ""
    /// Rows that were wrapped because a text was too long for them.
    package private(set) var wrapCount = 0
    package private(set) var bellCount = 0

    /// A marker in the second cell of a wide character.
    private static let rest: Character = "\u{0}"

    package init(columns: Int, rows: Int = 24) {
        self.columns = columns
        self.rows = rows
    }

    /// All text above and on the screen, without trailing spaces.
    package var text: String {
        lines.map { String($0.filter { $0 != Self.rest }).trimmingEnd }.joined(separator: "\n")
    }

    /// The column of the cursor, from 0.
    package var cursorColumn: Int { column }

    package mutating func write(_ text: String) {
        var rest = Array(pending + text)[...]
        pending = ""
        while let character = rest.popFirst() {
            switch character {
            case "\u{1B}":
                guard let end = rest.dropFirst().firstIndex(where: { $0.isLetter }), rest.first == "[" else {
                    pending = String([character] + rest)
                    return
                }
                control(String(rest[(rest.startIndex + 1)..<end]), rest[end])
                rest = rest[(end + 1)...]
            case "\r": column = 0
            case "\n": lineFeed()
            case "\r\n":
                column = 0
                lineFeed()
            case "\u{7}": bellCount += 1
            default: put(character)
            }
        }
    }

    private mutating func put(_ character: Character) {
        let width = DisplayWidth.of(character)
        if column + width > columns {
            wrapCount += 1
            column = 0
            lineFeed()
        }
        while lines[row].count < column + width { lines[row].append(" ") }
        lines[row][column] = character
        if width == 2 { lines[row][column + 1] = Self.rest }
        column += width
    }

    private mutating func lineFeed() {
        row += 1
        if row == lines.count { lines.append([]) }
        top = max(top, row - rows + 1)
    }

    private mutating func control(_ parameters: String, _ final: Character) {
        let number = Int(parameters)
        switch final {
        case "A": row = max(top, row - (number ?? 1))
        case "C": column = min(columns - 1, column + (number ?? 1))
        case "K": lines[row] = Array(lines[row].prefix(column))
        case "J" where number == 2:
            top = lines.count
            lines.append([])
            row = top
        case "J":
            lines[row] = Array(lines[row].prefix(column))
            lines.removeLast(lines.count - row - 1)
        case "H":
            row = top
            column = 0
        default: break
        }
    }
}

extension String {
    package var trimmingEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// Random numbers that are the same in each run.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed &+ 0x9E37_79B9_7F4A_7C15
    }

    package mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
