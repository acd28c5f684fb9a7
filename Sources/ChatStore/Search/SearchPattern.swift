/// A search pattern: words that must all be in a text.
struct SearchPattern: Sendable {
    private let words: [FoldedText]

    /// The maximum number of words; further words are ignored.
    private static let wordLimit = 16
    /// The maximum length of a word in characters.
    private static let lengthLimit = 200

    init(_ text: String) {
        words = text.split(whereSeparator: \.isWhitespace).prefix(Self.wordLimit)
            .map { FoldedText(String($0.prefix(Self.lengthLimit))) }
            .filter { !$0.scalars.isEmpty }
    }

    var isEmpty: Bool { words.isEmpty }

    /// Whether the text contains all words.
    func matches(_ text: String) -> Bool {
        let folded = FoldedText(text)
        return words.allSatisfy { word in
            folded.contains(word.scalars[...], atWordStart: false)
                && word.runs.allSatisfy { script, range in
                    script == .unspaced || range.count > 2
                        || folded.contains(word.scalars[range], atWordStart: true)
                }
        }
    }

    /// An expression for FTS5 that matches every text that ``matches(_:)`` accepts, and few others.
    func expression(in conversation: ConversationID?) -> String {
        var grams: [String] = []
        if let conversation {
            grams.append(String(decoding: SearchGrams.word(for: conversation), as: UTF8.self))
        }
        for word in words {
            for (script, range) in word.runs {
                let isShort = script == .spaced && range.count < 3
                let length = script == .spaced ? 3 : 2
                // A short run is one gram; a longer one is covered by grams that overlap as little as possible.
                var start = range.lowerBound
                while true {
                    let end = min(start + length, range.upperBound)
                    let begin = max(range.lowerBound, end - length)
                    var bytes: [UInt8] = isShort ? [UInt8(ascii: "_")] : []
                    SearchGrams.append(word.scalars[begin..<end], to: &bytes)
                    grams.append(String(decoding: bytes, as: UTF8.self))
                    if end == range.upperBound { break }
                    start = end
                }
            }
        }
        // The grams consist of letters, digits and "_" only, so quotation marks suffice.
        var seen: Set<String> = []
        return grams.filter { seen.insert($0).inserted }.map { "\"\($0)\"" }.joined(separator: " AND ")
    }
}
