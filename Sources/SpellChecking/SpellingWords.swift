/// The words of a text that are worth checking.
///
/// Left out is what is no word of a language: numbers, addresses of all kinds, names behind `@`, code between grave
/// accents, and scripts that are written without spaces.
public enum SpellingWords {
    /// In characters; no dictionary has longer words.
    static let maximumLength = 64

    /// The ranges of the words, in Unicode code points, in ascending order.
    public static func ranges(in text: String) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var isCode = false
        var chunk: [Unicode.Scalar] = []
        var start = 0
        var position = 0
        func end() {
            if !isCode { ranges += words(in: chunk, at: start) }
            chunk = []
        }
        for scalar in text.unicodeScalars {
            if scalar == "`" {
                end()
                isCode.toggle()
                start = position + 1
            } else if scalar.properties.isWhitespace {
                end()
                // A line ends code that nothing closes.
                if scalar == "\n" { isCode = false }
                start = position + 1
            } else {
                chunk.append(scalar)
            }
            position += 1
        }
        end()
        return ranges
    }

    /// The words of a piece of text without spaces.
    private static func words(in chunk: [Unicode.Scalar], at start: Int) -> [Range<Int>] {
        guard let first = chunk.first, !"@#/:".unicodeScalars.contains(first) else { return [] }
        // An address of a page, a person or a file.
        if chunk.contains("@") || chunk.contains("/") || chunk.contains("\\") || chunk.contains("_") { return [] }
        if let dot = chunk.firstIndex(of: "."), dot + 1 < chunk.count, isLetter(chunk[dot + 1]) { return [] }
        var ranges: [Range<Int>] = []
        var word = 0
        func end(at index: Int) {
            var (lower, upper) = (word, index)
            while lower < upper, isApostrophe(chunk[lower]) { lower += 1 }
            while upper > lower, isApostrophe(chunk[upper - 1]) { upper -= 1 }
            let scalars = chunk[lower..<upper]
            if upper - lower > 1, upper - lower <= maximumLength, !scalars.contains(where: isUnspaced),
                !scalars.contains(where: { $0.properties.numericType != nil })
            {
                ranges.append(start + lower..<start + upper)
            }
            word = index + 1
        }
        for (index, scalar) in chunk.enumerated() where !isPart(scalar) { end(at: index) }
        end(at: chunk.count)
        return ranges
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }
    private static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool { scalar == "'" || scalar == "’" }

    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        let isMark = scalar.properties.generalCategory == .nonspacingMark
        return isLetter(scalar) || isApostrophe(scalar) || isMark || scalar.properties.numericType != nil
    }

    /// Chinese, Japanese, Korean, Thai and the like.
    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x2E80 || (0x0E00...0x0EFF).contains(scalar.value) || (0x1780...0x17FF).contains(scalar.value)
    }
}
