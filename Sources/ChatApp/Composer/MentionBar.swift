internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The bar above the input field with the nicknames that complete the word: Tab or Return inserts one, the arrow keys
/// select.
///
/// A popover would take the keyboard focus from the field, and with it the input method.
final class MentionBar {
    let root: Revealer
    var onChoice: (String) -> Void = { _ in }
    private let box = Box.horizontal(spacing: 4).css("mentions").margins(start: 12, end: 12, top: 4, bottom: 0)
    private(set) var completion: MentionCompletion?
    private var buttons: [Button] = []
    private(set) var chosen = 0

    init() {
        root = Revealer(box, .slideUp)
        box.accessible(label: localized("Nicknames"))
    }

    var isOpen: Bool { completion != nil }

    func show(_ completion: MentionCompletion?) {
        guard completion != self.completion else { return }
        let isSame = completion?.candidates == self.completion?.candidates
        self.completion = completion
        root.isRevealed = completion != nil
        guard !isSame, let completion else { return }
        chosen = 0
        buttons = completion.candidates.prefix(Self.shown).map { name in
            let button = Button(Label(name).ellipsize().characters(maximum: 16)).css("pill-small").focusOnClick(false)
            button.named(localized("Mention %@", name))
            button.onClick { [weak self] in self?.onChoice(name) }
            return button
        }
        box.removeAll()
        for button in buttons { box.append(button) }
        mark()
    }

    /// The number of names that fit into a narrow window.
    private static let shown = 4

    func move(_ step: Int) {
        guard !buttons.isEmpty else { return }
        chosen = (chosen + step + buttons.count) % buttons.count
        mark()
    }

    /// The selected name.
    var choice: String? {
        guard let completion, completion.candidates.indices.contains(chosen) else { return nil }
        return completion.candidates[chosen]
    }

    private func mark() {
        for (index, button) in buttons.enumerated() { button.css("suggested-action", index == chosen) }
    }
}

extension ComposerView {
    /// Handles a key before the input field does.
    func pressed(_ press: KeyPress) -> Bool {
        // While an input method composes text, the same keys confirm, change and cancel the composition.
        if entry.isComposing { return false }
        switch press.key {
        case .enter:
            guard !press.modifiers.contains(.shift) else { return false }
            if let name = mentions.choice { mention(name) } else { sendText() }
            return true
        case .tab:
            guard press.modifiers.isEmpty, let name = mentions.choice else { return false }
            mention(name)
            return true
        case .left, .right:
            guard press.modifiers == .alt, mentions.isOpen else { return false }
            mentions.move(press.key == .left ? -1 : 1)
            return true
        case .up:
            if mentions.isOpen {
                mentions.move(-1)
                return true
            }
            guard composer.text.isEmpty, composer.edit == nil, press.modifiers.isEmpty else { return false }
            attempt { [composer] () throws(StoreError) in _ = try await composer.correctLast() }
            return true
        case .down:
            guard mentions.isOpen else { return false }
            mentions.move(1)
            return true
        case .escape:
            if mentions.isOpen {
                mentions.show(nil)
                return true
            }
            guard composer.edit != nil || composer.reply != nil else { return false }
            cancelTarget()
            return true
        default: return false
        }
    }
}
