internal import ChatModel
internal import GTKBinding
internal import Localization

/// What the sender says about a link of the text. Where it leads is shown as well, because the sender can say anything.
final class LinkCardView {
    let root: Button
    let host = Label().ellipsize().textAlignment(0).css("caption")
    let title = Label().wrap(maximumCharacters: 40).lines(2).ellipsize().textAlignment(0).css("link-title")
    let summary = Label().wrap(maximumCharacters: 44).lines(3).ellipsize().textAlignment(0).css("caption")
    private var link = ""

    init(open: @escaping (String) -> Void) {
        root = Button(Box.vertical(spacing: 1, host, title, summary)).css("flat", "answered").focusOnClick(false)
        root.onClick { [weak self] in if let self { open(self.link) } }
    }

    func show(_ description: LinkCards.Card) {
        link = description.link
        root.isVisible = true
        let name = LinkHost(link)?.shown ?? link
        host.text = description.site.map { "\(name) · \($0)" } ?? name
        title.text = description.title ?? ""
        title.isVisible = description.title != nil
        summary.text = description.summary ?? ""
        summary.isVisible = description.summary != nil
        root.accessible(label: localized("Link to %@: %@", name, description.title ?? description.summary ?? ""))
    }
}
