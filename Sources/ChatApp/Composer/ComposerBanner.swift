internal import ChatModel
internal import GTKBinding
internal import Localization

/// The banner above the input field while a message is replied to or corrected, with a Cancel button.
final class ComposerBanner {
    let root: Revealer
    var onCancel: () -> Void = {}
    private let icon = Icon(size: 16)
    private let title = Label().css("caption-heading", "accent").ellipsize().textAlignment(0)
    private let label = Label().css("dim-label", "caption").ellipsize().textAlignment(0)
    private let cancel = Button(icon: "window-close-symbolic").css("flat", "circular").focusOnClick(false)

    init() {
        cancel.align(vertical: .center)
        let texts = Box.vertical(title, label).expand(.horizontal)
        root = Revealer(
            Box.horizontal(spacing: 8, icon, texts, cancel).css("composer-banner").margins(
                start: 12, end: 6, top: 4, bottom: 0), .slideUp)
        cancel.onClick { [weak self] in self?.onCancel() }
    }

    func show(_ composer: Composer) {
        if let edit = composer.edit {
            icon.show("document-edit-symbolic")
            title.text = localized("Change message")
            label.text = Wording.preview(edit.preview)
            cancel.named(localized("Leave the message as it is"))
            root.isRevealed = true
        } else if let reply = composer.reply {
            icon.show("mail-reply-sender-symbolic")
            title.text = localized("Answer to %@", reply.preview.senderName)
            label.text = Wording.preview(reply.preview)
            cancel.named(localized("Do not answer"))
            root.isRevealed = true
        } else {
            root.isRevealed = false
        }
    }
}
