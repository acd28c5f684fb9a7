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
