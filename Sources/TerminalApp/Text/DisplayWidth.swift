/// How many columns of a terminal a text takes.
package enum DisplayWidth {
    /// The columns of one character as a person sees it: 0, 1 or 2.
    package static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: return 0
        default: break
        }
        // A regional-indicator pair is a flag, and U+FE0F or a joined sequence asks for the emoji picture: two columns.
        if scalars.count > 1 {
            if (0x1F1E6...0x1F1FF).contains(first.value) { return 2 }
            if scalars.contains(where: { $0.value == 0x20E3 }) { return 1 }
            if scalars.contains(where: { $0.value == 0xFE0F }) && first.properties.isEmoji { return 2 }
        }
        return WideCharacters.contains(first) ? 2 : 1
    }

    /// The columns of `text`, which must not hold line breaks.
    package static func of(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// The longest beginning of `text` that fits into `columns`, closed by `…` when something is cut.
    package static func truncate(_ text: String, to columns: Int) -> String {
        guard of(text) > columns else { return text }
        var result = ""
        var used = 0
        for character in text {
            let width = of(character)
            guard used + width <= columns - 1 else { break }
            result.append(character)
            used += width
        }
        return columns > 0 ? result + "…" : ""
    }

    /// `text` with spaces behind it up to so many columns.
    package static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - of(text)))
    }
}
