extension String {
    /// The text without the keys in its links to encrypted files (XEP-0454, XEP-0448): an ellipsis takes the place of what is
    /// behind the `#`. For output and files that others may see; the store has the whole link.
    public var withoutFileKeys: String {
        guard Self.hasEncryptedFile(self) else { return self }
        var result = ""
        var word = ""
        func end() {
            if let mark = word.firstIndex(of: "#"), Self.hasEncryptedFile(word) {
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

    private static func hasEncryptedFile(_ text: String) -> Bool {
        let text = text.lowercased()
        return encryptedFileSchemes.contains { text.contains($0) }
    }

    /// Those of `EncryptedFileLink` in OMEMO.
    private static let encryptedFileSchemes = ["aesgcm:", "aes128gcm:", "aes256cbc:"]
}
