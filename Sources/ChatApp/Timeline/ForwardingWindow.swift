internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The window that forwards messages to another conversation. Return sends to the selected one, and the arrow keys select.
final class ForwardingWindow {
    let window: Window
    let search = SearchEntry(placeholder: localized("Search conversations"))
    private(set) var shown: [ConversationRow] = []
    private(set) var selected = 0

    private let messages: [TimelineMessage]
    private let context: AppContext
    private let list = ListBox().css("boxed-list").selectable()
    private let scroller: ScrolledWindow
    private let toasts: ToastOverlay
    private let empty = Label(localized("Nothing found")).css("dim-label").margins(horizontal: 12, vertical: 24)

    /// - Parameter messages: in the order in which they are sent.
    init(_ messages: [TimelineMessage], _ context: AppContext) {
        self.messages = messages
        self.context = context
        scroller = ScrolledWindow(list.margins(horizontal: 12, vertical: 12)).expand(.vertical)
        toasts = ToastOverlay(scroller)
        window = Window(
            localized("Forward To"), width: 360, height: 480, over: context.window?.window,
            Box.vertical(
                HeaderBar(title: WindowTitle(localized("Forward To"))),
                search.margins(horizontal: 12, vertical: 6), toasts.expand(.vertical)))
        window.minimumSize(width: 300, height: 320)
        window.isModal(true)
        window.closesOnEscape()
        search.accessible(label: localized("Search conversations"))
        list.accessible(label: localized("Conversations"))
        list.show(placeholder: empty)
    }

    func present() {
        window.retain(self)
        list.onActivate { [weak self] in self?.send(to: $0) }
        search.onChange { [weak self] in self?.show($0) }
        search.onActivate { [weak self] in if let self { self.send(to: self.selected) } }
        search.onStop { [weak self] in self?.window.close() }
        search.onKey { [weak self] key in
            switch key.key {
            case .down: self?.select(1)
            case .up: self?.select(-1)
            default: return false
            }
            return true
        }
        show("")
        window.present()
        search.grabFocus()
    }

    private func show(_ text: String) {
        shown = context.home.conversations.find(text)
        selected = 0
        list.removeAll()
        for row in shown { list.append(line(of: row)) }
        list.select(shown.isEmpty ? nil : selected)
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

    private func select(_ step: Int) {
        guard !shown.isEmpty else { return }
        selected = min(max(selected + step, 0), shown.count - 1)
        list.select(selected)
        list.scroll(to: selected, in: scroller)
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
