/// The part of a text around what was searched for, in one line, with the places of the words.
public struct SearchSnippet: Hashable, Sendable {
    public let text: String
    /// Where the words are, in characters of ``text``; in order, never overlapping.
    public let hits: [Range<Int>]

    /// So many characters stand before the first hit, so that it is seen in a narrow list.
    static let lead = 24
    static let length = 120
    /// The words are looked for in so much of a text; a hit further down shows the beginning.
    static let looked = TextFold.Limits(length: 20_000, lines: 20_000, wordLength: 1_000)

    init(of body: String, for search: String) {
        var characters: [Character] = []
        for character in TextFold(body, Self.looked).text {
            let isSpace = character.isWhitespace
            if isSpace, characters.last == " " || characters.isEmpty { continue }
            characters.append(isSpace ? " " : character)
        }
        let found = SearchMarks.places(of: search, in: characters)
        let first = found.first?.lowerBound ?? 0
        var start = first <= Self.lead ? 0 : first - Self.lead
        let end = min(characters.count, start + Self.length)
        // A short text is shown whole rather than cut at its beginning.
        if characters.count <= Self.length { start = 0 }
        let prefix = start > 0 ? "…" : ""
        text = prefix + String(characters[start..<end]) + (end < characters.count ? "…" : "")
        var hits: [Range<Int>] = []
        for range in found where range.lowerBound >= start && range.upperBound <= end {
            let shifted = range.lowerBound - start + prefix.count..<range.upperBound - start + prefix.count
            hits.append(shifted)
        }
        self.hits = hits
    }
}
