internal import Foundation

/// Where the words that are searched for stand in a text.
public enum SearchMarks {
    /// The places of all words, in characters, in order and never overlapping. Case, accents and width of letters do not count.
    public static func places(of search: String, in text: String) -> [Range<Int>] {
        places(of: search, in: Array(text))
    }

    static func places(of search: String, in characters: [Character]) -> [Range<Int>] {
        let words = search.split(whereSeparator: \.isWhitespace).map { word in word.map { Self.folded($0) } }
        guard !words.isEmpty else { return [] }
        let folded = characters.map { Self.folded($0) }
        var found: [Range<Int>] = []
        for word in words where !word.isEmpty && word.count <= folded.count {
            for start in 0...(folded.count - word.count)
            where folded[start] == word[0] && folded[start..<start + word.count].elementsEqual(word) {
                found.append(start..<start + word.count)
            }
        }
        found.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var joined: [Range<Int>] = []
        for range in found {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    private static func folded(_ character: Character) -> String {
        if character.isASCII { return character.lowercased() }
        return String(character).folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}
