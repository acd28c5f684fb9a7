internal import GTKBinding
internal import Localization
internal import SpellChecking

/// Underlines misspelled words of a text field, and offers suggestions in its menu.
///
/// The words are checked a moment after the last key, away from the main thread; the word that is being written is left
/// alone.
final class Spelling {
    private let entry: TextView
    private let checker: SpellChecker
    private let isOn: () -> Bool
    private let actions = ActionGroup()
    /// The misspelled words, in code points of the text that was checked.
    private(set) var marked: [Range<Int>] = []
    private var suggestions: [String: [String]] = [:]
    private var checking: Task<Void, Never>?
    private var offered: (range: Range<Int>, word: String)?

    /// How long after the last key.
    private static let delay = Duration.milliseconds(350)
    /// How many words with suggestions are remembered.
    private static let suggestionLimit = 64

    /// - Parameter isOn: whether the user wants it.
    init(_ entry: TextView, _ checker: SpellChecker, isOn: @escaping () -> Bool) {
        self.entry = entry
        self.checker = checker
        self.isOn = isOn
        actions.add(Action("replace") { [weak self] text in self?.replace(with: text) })
        actions.add(Action("learn") { [weak self] in self?.learn() })
        entry.insert(actions, prefix: "spelling")
        entry.onMenuPlace { [weak self] in self?.offer(at: $0) }
    }

    isolated deinit { checking?.cancel() }

    /// The text or the cursor has changed.
    func changed() {
        guard isOn() else { return clear() }
        checking?.cancel()
        checking = Task { [weak self] in
            try? await Task.sleep(for: Self.delay)
            if !Task.isCancelled { await self?.check() }
        }
    }

    func clear() {
        checking?.cancel()
        guard !marked.isEmpty else { return }
        marked = []
        entry.underline([])
    }

    /// Checks the text now.
    func check() async {
        let text = entry.text
        let found = await checker.misspelled(in: text)
        guard !Task.isCancelled, text == entry.text, isOn() else { return }
        let cursor = entry.cursor
        // The word that ends at the cursor may not be finished.
        let kept = found.filter { !(entry.hasFocus && $0.upperBound == cursor) }
        if kept != marked {
            marked = kept
            entry.underline(kept)
        }
        offer(at: cursor)
        let words = Set(kept.map { Self.word(text, $0) })
        for word in words where suggestions[word] == nil {
            let found = await checker.suggestions(for: word)
            if suggestions.count >= Self.suggestionLimit { suggestions = [:] }
            suggestions[word] = found
            guard !Task.isCancelled else { return }
        }
        offer(at: entry.cursor)
    }

    private static func word(_ text: String, _ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(range.lowerBound).prefix(range.count)))
    }

    /// Shows the suggestions for the word at a place in the field's menu.
    private func offer(at place: Int) {
        guard let range = marked.first(where: { $0.lowerBound <= place && place <= $0.upperBound }) else {
            if offered != nil { entry.addToMenu(nil) }
            offered = nil
            return
        }
        let word = Self.word(entry.text, range)
        offered = (range, word)
        entry.addToMenu(Menu(entries(for: word)))
    }

    /// What the menu offers for a word.
    func entries(for word: String) -> [Menu.Entry] {
        let words = suggestions[word] ?? []
        let replacements = words.map { Menu.Entry.target($0, "spelling.replace", text: $0) }
        return [
            .section(localized("Suggestions"), replacements),
            .section(nil, [.item(localized("Add “%@” to the Dictionary", word), "spelling.learn")]),
        ]
    }

    private func replace(with text: String) {
        guard let offered, Self.word(entry.text, offered.range) == offered.word else { return }
        entry.replace(offered.range, with: text)
        changed()
    }

    private func learn() {
        guard let offered else { return }
        Task { [weak self, checker] in
            await checker.learn(offered.word)
            await self?.check()
        }
    }
}
