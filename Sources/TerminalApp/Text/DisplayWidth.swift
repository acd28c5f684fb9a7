/// The number of terminal columns of a text.
package enum DisplayWidth {
    /// The columns of one visible character: 0, 1 or 2.
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

    /// The columns of `text`, which must not contain line breaks.
    package static func of(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// The longest prefix of `text` that fits into `columns`, with `…` if it is truncated.
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

    /// `text` padded with spaces to this number of columns.
    package static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - of(text)))
    }
}
