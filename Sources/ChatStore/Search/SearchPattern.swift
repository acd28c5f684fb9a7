/// A search pattern: words that must all be in a text.
package struct SearchPattern: Sendable {
    private let words: [FoldedText]

    /// The maximum number of words; further words are ignored.
    private static let wordLimit = 16
    /// The maximum length of a word in characters.
    private static let lengthLimit = 200

    package init(_ text: String) {
        words = text.split(whereSeparator: \.isWhitespace).prefix(Self.wordLimit)
            .map { FoldedText(String($0.prefix(Self.lengthLimit))) }
            .filter { !$0.scalars.isEmpty }
    }

    package var isEmpty: Bool { words.isEmpty }

    /// Whether the text contains all words.
    package func matches(_ text: String) -> Bool {
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
            grams.append(SearchGrams.word(for: conversation))
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
                    grams.append((isShort ? "_" : "") + word.text(of: begin..<end))
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

/// The fragments of a text that are in the search index, as one text of words for FTS5.
///
/// Of a word between separators: its first letter, its first two letters, and every three consecutive letters; so any
/// part of a word is found from three letters on, and its beginning from one. Of Chinese, Japanese and similar scripts:
/// every character and every two consecutive characters, so a single character is found like a whole sentence. In
/// addition, the number of the conversation.
///
/// FTS5's trigram tokenizer finds nothing shorter than three characters, but most Chinese and Japanese words are
/// shorter; and its index, measured on messages of 40 characters, is nearly twice as large: 259 instead of 146 bytes
/// per message.
struct SearchGrams {
    /// The space for the fragments of one character: a word of two characters has the most bytes for each of them,
    /// 2 + 4 and 2 + 8.
    private static let bytesPerScalar = 16

    let text: String

    init(of text: String, in conversation: ConversationID) {
        let folded = FoldedText(text)
        let word = Self.word(for: conversation)
        let size = word.utf8.count + folded.scalars.count * Self.bytesPerScalar
        self.text = String(unsafeUninitializedCapacity: size) { bytes in
            var count = 0
            func add(_ byte: UInt8) {
                bytes[count] = byte
                count += 1
            }
            func add(_ range: Range<Int>, isStart: Bool = false) {
                add(0x20)
                if isStart { add(UInt8(ascii: "_")) }
                for scalar in folded.scalars[range] {
                    if scalar < 0x80 {
                        add(UInt8(truncatingIfNeeded: scalar))
                    } else if let scalar = Unicode.Scalar(scalar) {
                        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { add(byte) }
                    }
                }
            }
            for byte in word.utf8 { add(byte) }
            var next = 0
            while let (script, range) = folded.run(from: next) {
                let start = range.lowerBound
                next = range.upperBound
                switch script {
                case .spaced:
                    add(start..<start + 1, isStart: true)
                    if range.count > 1 { add(start..<start + 2, isStart: true) }
                    if range.count > 2 {
                        for start in start...(next - 3) { add(start..<start + 3) }
                    }
                case .unspaced:
                    for start in range {
                        add(start..<start + 1)
                        if start + 1 < next { add(start..<start + 2) }
                    }
                case .separator: break
                }
            }
            return count
        }
    }

    /// A doubled word-start sign and a number, which no text contains.
    static func word(for conversation: ConversationID) -> String { "__\(conversation.rawValue)" }
}
