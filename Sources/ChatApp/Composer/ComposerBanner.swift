internal import ChatModel
internal import GTKBinding
internal import Localization

/// The banner above the input field with the description of a link, which is sent with the text unless it is removed.
final class LinkBanner {
    let root: Revealer
    let title = Label().css("caption-heading").ellipsize().textAlignment(0)
    private let host = Label().css("dim-label", "caption").ellipsize().textAlignment(0)
    let cancel = Button(icon: "window-close-symbolic").css("flat", "circular").focusOnClick(false)
    private let cards: LinkCards?

    init(_ cards: LinkCards?) {
        self.cards = cards
        let texts = Box.vertical(title, host).expand(.horizontal)
        root = Revealer(
            Box.horizontal(spacing: 8, Icon("insert-link-symbolic", size: 16), texts, cancel.align(vertical: .center))
                .css("composer-banner").margins(start: 12, end: 6, top: 4, bottom: 0), .slideUp)
        cancel.named(localized("Send without the description of the link"))
        cancel.onClick { [weak self] in self?.cards?.dismiss() }
        observe(self) { banner in banner.show() }
    }

    private func show() {
        let card = cards?.card
        root.isRevealed = card != nil
        guard let card else { return }
        title.text = card.title ?? card.summary ?? ""
        host.text = LinkHost(card.link)?.shown ?? card.link
    }
}

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
            title.text = localized("Edit message")
            label.text = Wording.preview(edit.preview)
            cancel.named(localized("Cancel editing"))
            root.isRevealed = true
        } else if let reply = composer.reply {
            icon.show("mail-reply-sender-symbolic")
            title.text = localized("Reply to %@", reply.preview.senderName)
            label.text = Wording.preview(reply.preview)
            cancel.named(localized("Cancel reply"))
            root.isRevealed = true
        } else {
            root.isRevealed = false
        }
    }
}
