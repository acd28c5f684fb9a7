internal import ChatModel
internal import GTKBinding
internal import Localization

/// The nicknames that go on as written, above the field: Tab or Return takes one, arrows choose another.
///
/// It is no popover, because that would take the keyboard from the field, and an input method with it.
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

    /// As many as stand side by side in a narrow window.
    private static let shown = 4

    func move(_ step: Int) {
        guard !buttons.isEmpty else { return }
        chosen = (chosen + step + buttons.count) % buttons.count
        mark()
    }

    /// The name that is chosen now.
    var choice: String? {
        guard let completion, completion.candidates.indices.contains(chosen) else { return nil }
        return completion.candidates[chosen]
    }

    private func mark() {
        for (index, button) in buttons.enumerated() { button.css("suggested-action", index == chosen) }
    }
}
