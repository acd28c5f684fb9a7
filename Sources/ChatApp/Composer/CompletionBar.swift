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

/// The bar above the input field with what completes the word: Tab or Return inserts one, the arrow keys select.
///
/// A popover would take the keyboard focus from the field, and with it the input method.
final class CompletionBar {
    let root: Revealer
    var onChoice: (Int) -> Void = { _ in }
    private let box = Box.horizontal(spacing: 4).css("mentions").margins(start: 12, end: 12, top: 4, bottom: 0)
    private(set) var completion: Completion?
    private var buttons: [Button] = []
    private(set) var chosen = 0

    init() {
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
            button.onClick { [weak self] in self?.onChoice(index) }
            return button
        }
        box.removeAll()
        for button in buttons { box.append(button) }
        mark()
    }

    /// How many fit into a narrow window.
    private static let shown = 4

    func move(_ step: Int) {
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
}

extension ComposerView {
    /// Whether Return sends with these modifiers.
    static func sends(_ modifiers: Modifiers, withReturn: Bool) -> Bool {
        withReturn ? !modifiers.contains(.shift) : modifiers.contains(.control)
    }

    /// Handles a key before the input field does.
    func pressed(_ press: KeyPress) -> Bool {
        // While an input method composes text, the same keys confirm, change and cancel the composition.
        if entry.isComposing { return false }
        switch press.key {
        case .enter:
            let isSending = Self.sends(press.modifiers, withReturn: context.sendsWithReturn())
            if completions.isOpen, !press.modifiers.contains(.shift) {
                accept(completions.chosen)
            } else if isSending {
                sendText()
            } else {
                return false
            }
            return true
        case .tab:
            guard press.modifiers.isEmpty, completions.isOpen else { return false }
            accept(completions.chosen)
            return true
        case .left, .right:
            guard press.modifiers == .alt, completions.isOpen else { return false }
            completions.move(press.key == .left ? -1 : 1)
            return true
        case .up:
            if completions.isOpen {
                completions.move(-1)
                return true
            }
            guard composer.text.isEmpty, composer.edit == nil, press.modifiers.isEmpty else { return false }
            attempt { [composer] () throws(StoreError) in _ = try await composer.correctLast() }
            return true
        case .down:
            guard completions.isOpen else { return false }
            completions.move(1)
            return true
        case .escape:
            if completions.isOpen {
                completions.show(nil)
                return true
            }
            guard composer.edit != nil || composer.reply != nil else { return false }
            cancelTarget()
            return true
        default: return false
        }
    }
}
