/// A word that addresses everybody in a room: “@all”, or “@here” for those who are in it now.
///
/// Only a moderator addresses everybody: a word of anybody else is text, so that no stranger wakes a whole room.
public enum EverybodyMention: String, Sendable, Hashable, CaseIterable {
    case all
    case here

    /// The first of them in a text, as a word of its own, with its range in characters.
    ///
    /// The `@` in an address or a link is no beginning of a word, and `@all.example` is no end of one.
    public static func first(in text: String) -> (mention: EverybodyMention, range: Range<Int>)? {
        let characters = Array(text)
        for start in characters.indices where characters[start] == "@" {
            if start > 0, !isBoundary(characters[start - 1]) { continue }
            for mention in allCases {
                let end = start + 1 + mention.rawValue.count
                guard end <= characters.count,
                    String(characters[(start + 1)..<end]).lowercased() == mention.rawValue,
                    ends(characters, at: end)
                else { continue }
                return (mention, start..<end)
            }
        }
        return nil
    }

    /// Chinese and Japanese are written without spaces.
    private static func isBoundary(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first, scalar.value < 0x2E80 else { return true }
        return character.isWhitespace || "([{\"'“‘«>*_~".contains(character)
    }

    private static func ends(_ characters: [Character], at end: Int) -> Bool {
        guard end < characters.count else { return true }
        let next = characters[end]
        guard let scalar = next.unicodeScalars.first, scalar.value < 0x2E80 else { return true }
        if next.isLetter || next.isNumber || "_-@/".contains(next) { return false }
        // A full stop ends a sentence or goes on with a domain.
        return next != "." || end + 1 == characters.count || characters[end + 1].isWhitespace
    }
}
