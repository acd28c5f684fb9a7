/// Completes the nickname that a person begins to write in a room.
///
///     let completion = MentionCompletion(in: "Tyb", at: end, of: ["Tybalt", "Romeo"])
///     completion.candidates                 // ["Tybalt"]
///     completion.replacement(for: "Tybalt") // "Tybalt: " at the beginning of a text, "@Tybalt " elsewhere
public struct MentionCompletion: Sendable, Hashable {
    /// The part of the text that a name takes the place of.
    public let range: Range<String.Index>
    /// Names that go on as written, shortest first.
    public let candidates: [String]
    private let isFirst: Bool

    /// No more are offered.
    public static let candidateLimit = 8
    /// Nobody is called longer than that, in characters; a resource has 1,023 octets (RFC 7622 §3.4).
    private static let lengthLimit = 1_024

    /// `nil` where nothing can be meant: inside a word, or where no name goes on like that.
    public init?(in text: String, at cursor: String.Index, of names: [String]) {
        var start = cursor
        var length = 0
        while start > text.startIndex, !text[text.index(before: start)].isWhitespace {
            start = text.index(before: start)
            length += 1
            guard length <= Self.lengthLimit else { return nil }
        }
        let written = text[start..<cursor]
        let begun = FoldedName(String(written.drop { $0 == "@" })).text
        // Without the sign only a beginning is completed, and only where a person is likely to be addressed.
        guard written.first == "@" || !begun.isEmpty else { return nil }
        guard cursor == text.endIndex || text[cursor].isWhitespace else { return nil }
        let found = names.map { ($0, FoldedName($0).text) }.filter { $0.1.hasPrefix(begun) }
            .sorted { ($0.1.count, $0.1) < ($1.1.count, $1.1) }
        guard !found.isEmpty else { return nil }
        range = start..<cursor
        candidates = found.prefix(Self.candidateLimit).map(\.0)
        isFirst = start == text.startIndex && written.first != "@"
    }

    /// What to write for a name.
    public func replacement(for name: String) -> String { isFirst ? "\(name): " : "@\(name) " }
}
