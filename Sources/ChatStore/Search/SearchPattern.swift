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
    private(set) var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init(of text: String, in conversation: ConversationID) {
        let folded = FoldedText(text)
        bytes.reserveCapacity(folded.scalars.count * 6)
        bytes += Self.word(for: conversation)
        for (script, range) in folded.runs {
            let scalars = folded.scalars[range]
            switch script {
            case .spaced:
                add(scalars.prefix(1), isStart: true)
                if scalars.count > 1 { add(scalars.prefix(2), isStart: true) }
                if scalars.count > 2 {
                    for start in range.lowerBound...(range.upperBound - 3) {
                        add(scalars[start..<start + 3], isStart: false)
                    }
                }
            case .unspaced:
                for start in range {
                    add(scalars[start..<start + 1], isStart: false)
                    if start + 1 < range.upperBound { add(scalars[start..<start + 2], isStart: false) }
                }
            case .separator: break
            }
        }
    }

    /// A doubled word-start sign and a number, which no text contains.
    static func word(for conversation: ConversationID) -> [UInt8] { Array("__\(conversation.rawValue)".utf8) }

    private mutating func add(_ scalars: ArraySlice<UInt32>, isStart: Bool) {
        bytes.append(0x20)
        if isStart { bytes.append(UInt8(ascii: "_")) }
        Self.append(scalars, to: &bytes)
    }

    static func append(_ scalars: ArraySlice<UInt32>, to bytes: inout [UInt8]) {
        for scalar in scalars {
            if scalar < 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: scalar))
            } else if let encoded = Unicode.Scalar(scalar).map({ Unicode.UTF8.encode($0) }) ?? nil {
                bytes.append(contentsOf: encoded)
            }
        }
    }
}
