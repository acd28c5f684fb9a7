internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The replied-to message above the text; a click jumps to it.
final class QuotationView {
    let root: Button
    var onJump: (MessageID) -> Void = { _ in }
    let name = Label().ellipsize().textAlignment(0).css("name")
    let label = Label().ellipsize().textAlignment(0).characters(maximum: 40).css("words")
    private var target: MessageID?

    init() {
        root = Button(Box.vertical(name, label)).css("flat", "answered").focusOnClick(false)
        root.onClick { [weak self] in
            if let self, let target = self.target { self.onJump(target) }
        }
    }

    func show(_ quotation: TimelineMessage.Quotation) {
        target = quotation.id
        name.isVisible = quotation.preview != nil
        name.text = quotation.preview.map { $0.isOutgoing ? localized("You") : $0.senderName } ?? ""
        label.text =
            quotation.preview.map { Wording.preview($0) } ?? localized("A message that is not on this computer")
        // An insensitive button would be dimmed.
        root.targetable(quotation.id != nil).focusable(quotation.id != nil)
        root.accessible(label: localized("Reply to: %@", label.text))
    }
}
