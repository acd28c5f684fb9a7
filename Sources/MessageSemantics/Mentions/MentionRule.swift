/// Decides whether a text mentions a person by name.
public enum MentionRule {
    /// Whether one of the names occurs in the text as a whole word.
    ///
    /// - Parameter folded: maps characters that count as equal to the same character, such as upper and lower case, or
    ///   with and without accents.
    public static func mentions(_ names: [String], in text: String, folded: (String) -> String) -> Bool {
        let text = Array(folded(text))
        for name in names {
            let wanted = Array(folded(name))
            guard !wanted.isEmpty, wanted.count <= text.count else { continue }
            for start in 0...(text.count - wanted.count)
            where text[start] == wanted[0] && text[start..<start + wanted.count].elementsEqual(wanted) {
                let end = start + wanted.count
                let begins = start == 0 || !joins(text[start - 1], wanted[0])
                let ends = end == text.count || !joins(wanted[wanted.count - 1], text[end])
                if begins, ends { return true }
            }
        }
        return false
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
