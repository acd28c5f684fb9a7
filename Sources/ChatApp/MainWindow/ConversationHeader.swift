internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The bar over a conversation: the way back, who it is, and what it is doing.
final class ConversationHeader {
    let bar: HeaderBar
    /// The way back was taken, in a narrow window.
    var onBack: () -> Void = {}
    private let back = Button(icon: "go-previous-symbolic").hidden()
    private let picture: PersonPicture
    let title = Label().ellipsize().textAlignment(0).css("heading")
    private let subtitle = Label().ellipsize().textAlignment(0).css("caption", "dim-label")

    init(_ key: ConversationKey, _ desk: Desk) {
        picture = PersonPicture(desk.home.avatars, size: 32)
        let words = Box.vertical(title, subtitle).align(vertical: .center)
        bar = HeaderBar(title: Box.horizontal(spacing: 10, picture.widget, words))
        bar.prepend(back)
        back.named(localized("Back"))
        back.onClick { [weak self] in self?.onBack() }
    }

    /// The line under the title.
    var words: String { subtitle.text }

    func showsBack(_ isShown: Bool) { back.isVisible = isShown }

    func show(title: String, subtitle: String, avatarHash: String?) {
        self.title.text = title
        self.subtitle.text = subtitle
        self.subtitle.isVisible = !subtitle.isEmpty
        picture.show(name: title, hash: avatarHash)
    }

    /// Something that belongs to the conversation, at the bar's end.
    func append(_ widget: Widget) { bar.append(widget) }
}
