internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The bar over a conversation: the way back, who it is, and what it is doing.
final class ConversationHeader {
    let bar: HeaderBar
    /// The way back was taken, in a narrow window.
    var onBack: () -> Void = {}
    /// The title was clicked: more is wanted about who it is.
    var onTitle: () -> Void = {}
    private let back = Button(icon: "go-previous-symbolic").hidden()
    private let picture: PersonPicture
    let title = Label().ellipsize().textAlignment(0).css("heading")
    private let subtitle = Label().ellipsize().textAlignment(0).css("caption", "dim-label")
    private let about: Button
    /// What the title does, too; hidden where the bar is narrow.
    private var page: Widget?

    init(_ avatars: AvatarLoader) {
        picture = PersonPicture(avatars, size: 32)
        let words = Box.vertical(title, subtitle).align(vertical: .center)
        about = Button(Box.horizontal(spacing: 10, picture.widget, words)).css("flat", "conversation-name")
            .focusOnClick(false)
        bar = HeaderBar(title: about)
        bar.prepend(back)
        back.named(localized("Back"))
        back.onClick { [weak self] in self?.onBack() }
        about.onClick { [weak self] in self?.onTitle() }
    }

    /// The line under the title.
    var words: String { subtitle.text }

    /// - Parameter isNarrow: the conversation fills the window, so that a way back is needed, and there is little room.
    func show(isNarrow: Bool) {
        back.isVisible = isNarrow
        page?.isVisible = !isNarrow
    }

    func show(title: String, subtitle: String, avatarHash: String?) {
        self.title.text = title
        self.subtitle.text = subtitle
        self.subtitle.isVisible = !subtitle.isEmpty
        picture.show(name: title, hash: avatarHash)
    }

    /// Something that belongs to the conversation, at the bar's end.
    func append(_ widget: Widget) { bar.append(widget) }

    /// The button of what a click on the title does, too.
    func append(page: Widget, named name: String) {
        self.page = page
        about.tip(name)
        bar.append(page)
    }
}
