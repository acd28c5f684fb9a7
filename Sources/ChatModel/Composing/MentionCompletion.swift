internal import ChatStore

/// Completes a nickname that the user starts to type in a room.
///
///     let completion = MentionCompletion(in: "Tyb", at: end, of: ["Tybalt", "Romeo"])
///     completion.candidates                 // ["Tybalt"]
///     completion.replacement(for: "Tybalt") // "Tybalt: " at the beginning of a text, "@Tybalt " elsewhere
public struct MentionCompletion: Sendable, Hashable {
    /// The range that a nickname replaces.
    public let range: Range<String.Index>
    /// The matching nicknames, shortest first.
    public let candidates: [String]
    private let isFirst: Bool

    /// The maximum number of candidates.
    public static let candidateLimit = 8
    /// In characters. A nickname is a resource, which has at most 1,023 bytes (RFC 7622 §3.4).
    private static let lengthLimit = 1_024

    /// `nil` if the cursor is inside a word, or if no nickname matches.
    ///
    /// - Parameter addressesEverybody: whether the words for everybody are suggested after `@`.
    public init?(
        in text: String, at cursor: String.Index, of names: [String], addressesEverybody: Bool = false
    ) {
        var start = cursor
        var length = 0
        while start > text.startIndex, !text[text.index(before: start)].isWhitespace {
            start = text.index(before: start)
            length += 1
            guard length <= Self.lengthLimit else { return nil }
        }
        let written = text[start..<cursor]
        let begun = FoldedName(String(written.drop { $0 == "@" })).text
        // Without `@`, only the first word is completed, where addressing a person is likely.
        guard written.first == "@" || !begun.isEmpty else { return nil }
        guard cursor == text.endIndex || text[cursor].isWhitespace else { return nil }
        let everybody = addressesEverybody && written.first == "@" ? EverybodyMention.allCases.map(\.rawValue) : []
        let found = (names + everybody).map { ($0, FoldedName($0).text) }.filter { $0.1.hasPrefix(begun) }
            .sorted { ($0.1.count, $0.1) < ($1.1.count, $1.1) }
        guard !found.isEmpty else { return nil }
        range = start..<cursor
        candidates = found.prefix(Self.candidateLimit).map(\.0)
        isFirst = start == text.startIndex && written.first != "@"
    }

    /// The text that replaces ``range``.
    public func replacement(for name: String) -> String { isFirst ? "\(name): " : "@\(name) " }
}
