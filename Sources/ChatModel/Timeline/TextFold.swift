/// The part of a text that is shown at once, bounded in everything that makes layout slow.
///
/// Anybody can send a text of a million characters, a word of a hundred thousand letters, or a letter with as many accents; the time to
/// lay these out grows with their square. What is left out can be seen in a plain view of the whole text.
public struct TextFold: Sendable, Hashable {
    /// How much is shown, counted in code points; an emoji counts as three.
    public struct Limits: Sendable, Hashable {
        /// Of the text.
        public var length: Int
        public var lines: Int
        /// Of a word without a place where a line may end.
        public var wordLength: Int
        /// Marks over and under one letter. Vietnamese, Hebrew with points and Thai need no more than four.
        public var marks = 8

        /// A message: two or three pages, and links of any length that is in use.
        public static let message = Limits(length: 5_000, lines: 200, wordLength: 1_000)
        /// A line in a list, which shows some 40 characters.
        public static let line = Limits(length: 400, lines: 40, wordLength: 400)
    }

    /// What is shown.
    public let text: String
    /// Something was left out.
    public let isFolded: Bool
    /// Code points that were looked at: bounded by the limits, not by the text.
    let examined: Int

    /// To draw a coloured picture takes several times as long as to draw a letter.
    static let emojiWeight = 3

    /// Of what is left out inside of the text so much is skipped at most, in multiples of ``Limits/length``; then the text ends.
    static let skipping = 4

    public init(_ text: String, _ limits: Limits = .message) {
        // A short text cannot exceed any limit.
        if text.utf8.count <= limits.marks {
            (self.text, isFolded, examined) = (text, false, 0)
            return
        }
        var kept = String.UnicodeScalarView()
        var (count, examined, lines, word, marks) = (0, 0, 1, 0, 0)
        var (isCut, isShortened) = (false, false)
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        while index != scalars.endIndex {
            let scalar = scalars[index]
            if count >= limits.length || examined == limits.length * Self.skipping
                || scalar == "\n" && lines == limits.lines
            {
                isCut = true
                break
            }
            examined += 1
            scalars.formIndex(after: &index)
            if scalar.isMark {
                marks += 1
                if marks > limits.marks {
                    isShortened = true
                    continue
                }
            } else {
                marks = 0
                if scalar == "\n" { lines += 1 }
                word = scalar.endsWord ? 0 : word + 1
            }
            if word > limits.wordLength {
                isShortened = true
                if word == limits.wordLength + 1, marks == 0 { kept.append("…") }
                continue
            }
            kept.append(scalar)
            count += scalar.value >= 0x1_F000 && scalar.value < 0x2_0000 ? Self.emojiWeight : 1
        }
        self.examined = examined
        isFolded = isCut || isShortened
        var shown = isFolded ? String(kept) : text
        // An emoji of several code points is shown whole or not at all.
        if isCut, String.Index(index, within: text) == nil, shown.last.map({ $0.unicodeScalars.count < 32 }) ?? false {
            shown.removeLast()
        }
        self.text = shown
    }
}

extension Unicode.Scalar {
    /// It stands over, under or around the letter before it.
    fileprivate var isMark: Bool {
        guard value >= 0x300 else { return false }
        return switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    /// A line may end at it: white space, and the characters of Chinese, Japanese and Korean, emoji among them.
    fileprivate var endsWord: Bool {
        if value < 0x80 { return value == 0x20 || (0x09...0x0D).contains(value) }
        return value >= 0x2E80 || value == 0x200B || properties.isWhitespace
    }
}

/// A text of any length in portions for a plain view, which lays out lines: none of them is longer than ``lineLength``.
///
/// A sequence of its own: what is not asked for is not looked at.
public struct TextPortions: Sendable, Sequence, IteratorProtocol {
    /// Code points in a portion, some three screens of text.
    public static let length = 16_384
    /// Lines in a portion, some screens of short ones.
    public static let lines = 400
    /// Longer lines are broken, in code points: the time to lay out a line without a space grows with its square.
    public static let lineLength = 400

    private var rest: Substring.UnicodeScalarView
    private var column = 0

    public init(_ text: String) { rest = text[...].unicodeScalars }

    public mutating func next() -> String? {
        guard !rest.isEmpty else { return nil }
        var portion = String.UnicodeScalarView()
        var lines = 0
        var count = 0
        var index = rest.startIndex
        while index != rest.endIndex, count < Self.length, lines < Self.lines {
            let scalar = rest[index]
            if scalar == "\n" {
                (column, lines) = (0, lines + 1)
            } else if column == Self.lineLength {
                portion.append("\n")
                (column, lines) = (1, lines + 1)
            } else {
                column += 1
            }
            portion.append(scalar)
            count += 1
            index = rest.index(after: index)
        }
        rest = rest[index...]
        return String(portion)
    }
}
