/// Makes text from the network or from a file safe for a terminal.
///
/// Escape sequences could change the window title, move the cursor or fake lines of other users; characters that change
/// the writing direction could do the latter too.
package enum TerminalText {
    /// The maximum number of combining marks per character: as many as any language needs (Unicode Standard Annex #15,
    /// stream-safe text).
    private static let markLimit = 30

    /// `text` without control and direction characters; tabs become spaces; line breaks stay if `keepingLines`.
    package static func harmless(_ text: String, keepingLines: Bool = false) -> String {
        var scalars = String.UnicodeScalarView()
        var marks = 0
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t": scalars.append(" ")
            case "\n": scalars.append(keepingLines ? "\n" : " ")
            // Joiners belong to emoji and to several scripts.
            case "\u{200D}", "\u{200C}": scalars.append(scalar)
            default:
                switch scalar.properties.generalCategory {
                case .control: scalars.append("\u{FFFD}")
                case .format, .lineSeparator, .paragraphSeparator: break
                case .nonspacingMark, .enclosingMark, .spacingMark:
                    marks += 1
                    if marks <= markLimit { scalars.append(scalar) }
                default:
                    marks = 0
                    scalars.append(scalar)
                }
            }
        }
        return String(scalars)
    }

    /// Columns of a text that names a message: enough to recognise it.
    private static let excerptColumns = 24

    /// The beginning of a text, safe and in one line, to name a message in a sentence.
    static func excerpt(_ text: String) -> String { DisplayWidth.truncate(harmless(text), to: excerptColumns) }
}

extension StringProtocol {
    /// The text without leading and trailing whitespace.
    package var trimmed: String {
        var rest = Substring(self)
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
