extension String {
    /// The text without the keys in its links to encrypted files (XEP-0454): an ellipsis takes the place of what is
    /// behind the `#`. For output and files that others may see; the store has the whole link.
    public var withoutFileKeys: String {
        guard lowercased().contains(Self.encryptedFileScheme) else { return self }
        var result = ""
        var word = ""
        func end() {
            if let mark = word.firstIndex(of: "#"), word.lowercased().contains(Self.encryptedFileScheme) {
                result += word[...mark] + "…"
            } else {
                result += word
            }
            word = ""
        }
        for character in self {
            if character.isWhitespace {
                end()
                result.append(character)
            } else {
                word.append(character)
            }
        }
        end()
        return result
    }

    private static let encryptedFileScheme = "aesgcm:"
}
