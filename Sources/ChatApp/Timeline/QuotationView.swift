internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What a message answers, above it; a click leads there.
final class QuotationView {
    let root: Button
    var onJump: (MessageID) -> Void = { _ in }
    let name = Label().ellipsize().textAlignment(0).css("name")
    let words = Label().ellipsize().textAlignment(0).characters(maximum: 40).css("words")
    private var target: MessageID?

    init() {
        root = Button(Box.vertical(name, words)).css("flat", "answered").focusOnClick(false)
        root.onClick { [weak self] in
            if let self, let target = self.target { self.onJump(target) }
        }
    }

    func show(_ quotation: TimelineMessage.Quotation) {
        target = quotation.id
        name.isVisible = quotation.preview != nil
        name.text = quotation.preview.map { $0.isOutgoing ? localized("You") : $0.senderName } ?? ""
        words.text = quotation.preview.map { Wording.preview($0) } ?? localized("A message that is not here")
        root.isSensitive = quotation.id != nil
        root.accessible(label: localized("Answer to: %@", words.text))
    }
}
