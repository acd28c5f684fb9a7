internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What can complete the word before the cursor.
enum Completion: Equatable {
    case name(MentionCompletion)
    case emoji(EmojiCompletion)
    /// Commands of the other side, whose names begin with the text.
    case command(Range<String.Index>, [CommandService.Offer])

    /// The range that a choice replaces.
    var range: Range<String.Index> {
        switch self {
        case .name(let completion): completion.range
        case .emoji(let completion): completion.range
        case .command(let range, _): range
        }
    }

    var candidates: [String] {
        switch self {
        case .name(let completion): completion.candidates
        case .emoji(let completion): completion.candidates.map { "\($0.emoji) \($0.name)" }
        case .command(_, let offers): offers.map(\.name)
        }
    }

    /// What replaces ``range``.
    func replacement(_ index: Int) -> String? {
        guard candidates.indices.contains(index) else { return nil }
        return switch self {
        case .name(let completion): completion.replacement(for: completion.candidates[index])
        case .emoji(let completion): completion.candidates[index].emoji + " "
        // The command is executed instead of written.
        case .command: ""
        }
    }

    /// The name of a choice for screen readers.
    func spoken(_ index: Int) -> String {
        switch self {
        case .name: localized("Mention %@", candidates[index])
        case .emoji(let completion): completion.candidates[index].name
        case .command(_, let offers): localized("Execute “%@”", offers[index].name)
        }
    }
}

/// The bar above the input field with what completes the word before the cursor: commands, nicknames and emoji. Tab or
/// Return inserts one, the arrow keys select.
///
/// A popover would take the keyboard focus from the field, and with it the input method.
final class CompletionBar {
    let root: Revealer
    /// Called when one was inserted.
    var onDone: () -> Void = {}
    private let entry: TextView
    private let context: ComposerContext
    private let box = Box.horizontal(spacing: 4).css("mentions").margins(start: 12, end: 12, top: 4, bottom: 0)
    private(set) var completion: Completion?
    private var buttons: [Button] = []
    private(set) var chosen = 0

    init(_ entry: TextView, _ context: ComposerContext) {
        self.entry = entry
        self.context = context
        root = Revealer(box, .slideUp)
        box.accessible(label: localized("Suggestions"))
    }

    var isOpen: Bool { completion != nil }

    func show(_ completion: Completion?) {
        guard completion != self.completion else { return }
        let isSame = completion?.candidates == self.completion?.candidates
        self.completion = completion
        root.isRevealed = completion != nil
        guard !isSame, let completion else { return }
        chosen = 0
        buttons = completion.candidates.prefix(Self.shown).enumerated().map { index, text in
            let button = Button(Label(text).ellipsize().characters(maximum: 16)).css("pill-small").focusOnClick(false)
            button.named(completion.spoken(index))
            button.onClick { [weak self] in self?.accept(index) }
            return button
        }
        box.removeAll()
        for button in buttons { box.append(button) }
        mark()
    }

    /// How many fit into a narrow window.
    private static let shown = 4

    private func move(_ step: Int) {
        guard !buttons.isEmpty else { return }
        chosen = (chosen + step + buttons.count) % buttons.count
        mark()
    }

    /// The selected text.
    var choice: String? {
        guard let completion, completion.candidates.indices.contains(chosen) else { return nil }
        return completion.candidates[chosen]
    }

    private func mark() {
        for (index, button) in buttons.enumerated() { button.css("suggested-action", index == chosen) }
    }

    // MARK: Completing

    /// Suggests what completes the word before the cursor. A finished name of an emoji is replaced.
    func complete() {
        guard !entry.isComposing else { return show(nil) }
        let text = entry.text
        let scalars = text.unicodeScalars
        let cursor = scalars.index(scalars.startIndex, offsetBy: entry.cursor, limitedBy: scalars.endIndex)
        let place = cursor ?? text.endIndex
        if let (range, emoji) = EmojiCompletion.finished(in: text, at: place) { return replace(range, with: emoji) }
        if let completion = EmojiCompletion(in: text, at: place) { return show(.emoji(completion)) }
        if context.commands?.suggest(for: text, at: place, in: self) == true { return }
        let names = context.nicknames()
        let addressesEverybody = context.mayAddressEverybody?() ?? false
        show(
            names.isEmpty && !addressesEverybody
                ? nil
                : MentionCompletion(
                    in: text, at: place, of: names, addressesEverybody: addressesEverybody
                ).map { .name($0) })
    }

    /// Inserts one of the suggestions.
    func accept(_ index: Int) {
        guard let completion, let text = completion.replacement(index) else { return }
        replace(completion.range, with: text)
        if case .command(_, let offers) = completion { context.commands?.show(offers[index]) }
        show(nil)
        onDone()
    }

    private func replace(_ range: Range<String.Index>, with new: String) {
        let text = entry.text
        let start = text.unicodeScalars.distance(from: text.startIndex, to: range.lowerBound)
        let end = text.unicodeScalars.distance(from: text.startIndex, to: range.upperBound)
        show(nil)
        entry.replace(start..<end, with: new)
    }

    /// Handles a key while there are suggestions.
    func pressed(_ press: KeyPress) -> Bool {
        guard isOpen else { return false }
        switch press.key {
        case .enter where !press.modifiers.contains(.shift), .tab where press.modifiers.isEmpty: accept(chosen)
        case .left where press.modifiers == .alt, .up: move(-1)
        case .right where press.modifiers == .alt, .down: move(1)
        case .escape: show(nil)
        default: return false
        }
        return true
    }
}
