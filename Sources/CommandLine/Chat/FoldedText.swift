internal import ChatModel
internal import ChatStore
internal import Localization

/// The beginning of a text that is too long for a line of the conversation.
///
/// Each entry is drawn again with each tick, so an entry is short, whatever was sent. The whole text is in the store, and
/// `/show` saves it as a file.
struct FoldedText {
    /// How many lines of a text are shown: less than a large terminal has.
    static let lineLimit = 40
    /// How many Unicode scalars of a text are shown: the same lines of 100 columns. Scalars, because one character can have any
    /// number of marks.
    static let scalarLimit = 4000

    /// The beginning and a line that says how much is missing.
    let text: String

    /// `nil` for a text that is not too long.
    ///
    /// - Parameter canBeShown: whether `/show` finds it.
    init?(_ text: String, canBeShown: Bool) {
        guard let end = Self.end(of: text) else { return nil }
        let missing = text.unicodeScalars[end...].count
        self.text =
            text[..<end] + "\n"
            + (canBeShown
                ? localized("… (%@ more characters; /show saves the text as a file)", missing)
                : localized("… (%@ more characters)", missing))
    }

    /// Where the part that is shown ends; `nil` if all of it is shown.
    static func end(of text: String) -> String.Index? {
        var (lines, count) = (1, 0)
        for index in text.unicodeScalars.indices {
            if text.unicodeScalars[index] == "\n" {
                if lines == lineLimit { return index }
                lines += 1
            }
            if count == scalarLimit { return index }
            count += 1
        }
        return nil
    }
}

extension Chat {
    /// Saves the whole text of the last message that was folded.
    func saveFolded() {
        let folded = timeline.entries.reversed().lazy.compactMap { entry in
            self.shown.values.first { ConversationEntry.id(of: $0.id) == entry.id }
        }.first { FoldedText.end(of: $0.words) != nil }
        guard let folded else { return tell(localized("No text here is too long for the screen.")) }
        do throws(CommandError) {
            let path = try folder.keep(Array(folded.words.utf8), name: "message.txt")
            tell(localized("The text is in %@", Self.short(path)))
        } catch {
            tell(error.description)
        }
    }
}
