internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The header bar of a conversation: Back button, name and status, and buttons.
final class ConversationHeader {
    let bar: HeaderBar
    /// Called for the Back button of a narrow window.
    var onBack: () -> Void = {}
    /// Called when the title was clicked, to show details; `nil` if there are none.
    var onTitle: (() -> Void)? { didSet { showWhetherTitleOpens() } }
    private let back = Button(icon: "go-previous-symbolic").hidden()
    private let picture: AvatarImage
    let title = Label().ellipsize().textAlignment(0).css("heading")
    let subtitle = Label().ellipsize().textAlignment(0).css("caption", "subtitle")
    private let about: Button
    /// The button that does the same as the title; hidden where the title needs the space.
    private(set) var page: Widget?
    private var isNarrow = false
    /// In pixels; 0 before the first layout.
    private var width = 0

    /// The width in pixels that leaves enough space for a title beside all buttons.
    static let comfortableWidth = 520

    init(_ avatars: AvatarLoader) {
        picture = AvatarImage(avatars, size: 32)
        let column = Box.vertical(title, subtitle).align(vertical: .center)
        about = Button(Box.horizontal(spacing: 10, picture.widget, column)).css("flat", "conversation-name")
            .focusOnClick(false)
        bar = HeaderBar(title: about)
        bar.prepend(back)
        back.named(localized("Back"))
        back.onClick { [weak self] in self?.onBack() }
        about.onClick { [weak self] in self?.onTitle?() }
        showWhetherTitleOpens()
    }

    /// An insensitive button would be dimmed.
    private func showWhetherTitleOpens() { about.targetable(onTitle != nil).focusable(onTitle != nil) }

    /// The text of the line under the title.
    var statusText: String { subtitle.text }

    /// - Parameter isNarrow: the conversation fills the window, so the Back button is shown and space is short.
    func show(isNarrow: Bool) {
        self.isNarrow = isNarrow
        back.isVisible = isNarrow
        showPage()
    }

    /// - Parameter width: of the bar, in pixels.
    func show(width: Int) {
        self.width = width
        showPage()
    }

    private func showPage() { page?.isVisible = !isNarrow && (width == 0 || width >= Self.comfortableWidth) }

    func show(title: String, subtitle: String, avatarHash: String?, of key: ConversationKey) {
        self.title.text = title
        self.subtitle.text = subtitle
        self.subtitle.isVisible = !subtitle.isEmpty
        picture.show(
            name: title, hash: avatarHash, of: key.colourIdentity, isRoom: key.kind == .room)
        about.accessible(label: [title, subtitle].filter { !$0.isEmpty }.joined(separator: ", "))
    }

    /// Adds a widget at the end of the header bar.
    func append(_ widget: Widget) { bar.append(widget) }

    /// Adds the button that does the same as a click on the title.
    func append(page: Widget, named name: String) {
        self.page = page
        showPage()
        about.tip(name)
        bar.append(page)
    }
}
