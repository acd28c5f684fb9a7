internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The window that forwards messages to another conversation. Return sends to the selected one, and the arrow keys select.
final class ForwardingWindow {
    let window: Window
    private(set) var shown: [ConversationRow] = []

    private let messages: [TimelineMessage]
    private let context: AppContext
    private let found: SearchedList
    private let toasts: ToastOverlay

    /// - Parameter messages: in the order in which they are sent.
    init(_ messages: [TimelineMessage], _ context: AppContext) {
        self.messages = messages
        self.context = context
        found = SearchedList(
            placeholder: localized("Search conversations"), name: localized("Conversations"),
            empty: Label(localized("Nothing Found")).css("dim-label").margins(horizontal: 12, vertical: 24)
        ) { $0.margins(horizontal: 12, vertical: 12) }
        toasts = ToastOverlay(found.scroller)
        window = Window(
            localized("Forward To"), width: 360, height: 480, over: context.window?.window,
            Box.vertical(
                HeaderBar(title: WindowTitle(localized("Forward To"))),
                found.search.margins(horizontal: 12, vertical: 6), toasts.expand(.vertical)))
        window.minimumSize(width: 300, height: 320)
        window.isModal(true)
        window.closesOnEscape()
    }

    var search: SearchEntry { found.search }

    func present() {
        window.retain(self)
        found.onOpen = { [weak self] in self?.send(to: $0) }
        found.onStop = { [weak self] in self?.window.close() }
        search.onChange { [weak self] in self?.show($0) }
        show("")
        window.present()
        search.grabFocus()
    }

    private func show(_ text: String) {
        shown = context.home.conversations.find(text)
        found.selectFirst()
        found.show(shown.map { line(of: $0) })
    }

    private func line(of row: ConversationRow) -> Widget {
        // The account that sends.
        let tag = context.home.accounts.tag(of: row.key.account).map { localized("as %@", $0.address) }
        let address = row.key.address.description
        let line = ActionRow(row.title, subtitle: tag.map { "\(address) · \($0)" } ?? address)
        let picture = AvatarImage(context.home.avatars, size: 32)
        picture.show(name: row.title, hash: row.avatarHash, of: row.key.colourIdentity, isRoom: row.isRoom)
        line.prepend(picture.widget)
        line.onActivate {}
        return line
    }

    func send(to index: Int) {
        guard shown.indices.contains(index) else { return }
        let (key, title) = (shown[index].key, shown[index].title)
        guard let account = context.home.account(key.account),
            context.home.accounts.rows[key.account]?.isEnabled == true
        else { return toasts.show(localized("The account of this conversation is not in use. Enable it first.")) }
        let texts = messages.flatMap(\.shown).map { MessageText($0.text.body, attachments: $0.text.attachments) }
        window.close()
        let window = context.windowContext
        window.attempt { () async throws(StoreError) in
            for text in texts { _ = try await account.send(.text(text), in: key) }
            window.showToast(localized("Sent to %@.", title))
        }
    }
}
