/// Decides whether a text mentions a person by name.
public enum MentionRule {
    /// Whether one of the names occurs in the text as a whole word.
    ///
    /// - Parameter folded: maps characters that count as equal to the same character, such as upper and lower case, or
    ///   with and without accents.
    public static func mentions(_ names: [String], in text: String, folded: (String) -> String) -> Bool {
        names.contains { !ranges(of: Array(folded($0)), in: Array(folded(text))).isEmpty }
    }

    /// Where the names occur in the text as whole words, in characters, in ascending order without overlap.
    ///
    /// - Parameter folded: as for ``mentions(_:in:folded:)``; characters that become several ones never match.
    public static func ranges(of names: [String], in text: String, folded: (String) -> String) -> [Range<Int>] {
        func equalCharacters(_ text: String) -> [Character] {
            text.map { character in
                let characters = folded(String(character))
                return characters.count == 1 ? characters.first ?? character : character
            }
        }
        let text = equalCharacters(text)
        var found = names.flatMap { ranges(of: equalCharacters($0), in: text) }
        found.sort { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }
        return found.reduce(into: []) { kept, range in
            if kept.last.map({ $0.upperBound <= range.lowerBound }) ?? true { kept.append(range) }
        }
    }

    private static func ranges(of name: [Character], in text: [Character]) -> [Range<Int>] {
        guard let first = name.first, let last = name.last, name.count <= text.count else { return [] }
        return (0...(text.count - name.count)).compactMap { start in
            let end = start + name.count
            guard text[start] == first, text[start..<end].elementsEqual(name) else { return nil }
            let begins = start == 0 || !joins(text[start - 1], first)
            let ends = end == text.count || !joins(last, text[end])
            return begins && ends ? start..<end : nil
        }
    }

    /// Whether two adjacent characters belong to the same word. Chinese and Japanese are written without spaces, so a
    /// name may end after any character.
    private static func joins(_ left: Character, _ right: Character) -> Bool {
        func isSpaced(_ character: Character) -> Bool {
            guard let scalar = character.unicodeScalars.first, character.isLetter || character.isNumber else {
                return character == "_"
            }
            return scalar.value < 0x2E80
        }
        return isSpaced(left) && isSpaced(right)
    }
}
