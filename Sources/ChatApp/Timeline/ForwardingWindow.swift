internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The window that forwards messages to another conversation.
final class ForwardingWindow {
    private let messages: [TimelineMessage]
    private let context: AppContext
    private let window: Window
    private let list = ListBox().css("boxed-list")
    private let search = SearchEntry(placeholder: localized("Search conversations"))
    private var shown: [ConversationRow] = []

    /// - Parameter messages: in the order in which they are sent.
    init(_ messages: [TimelineMessage], _ context: AppContext) {
        self.messages = messages
        self.context = context
        window = Window(localized("Forward to"), width: 360, height: 480, over: context.window?.window)
        window.isModal(true)
        window.closesOnEscape()
        let scroller = ScrolledWindow(list.margins(horizontal: 12, vertical: 12)).expand(.vertical)
        window.show(
            Box.vertical(
                HeaderBar(title: WindowTitle(localized("Forward to"))),
                search.margins(horizontal: 12, vertical: 6), scroller))
    }

    func present() {
        window.retain(self)
        list.onActivate { [weak self] in self?.send(to: $0) }
        search.onSearch { [weak self] in self?.show($0) }
        show("")
        window.present()
    }

    private func show(_ text: String) {
        let query = text.lowercased()
        shown = context.home.conversations.all.values.sorted(by: ConversationRow.isBefore).filter {
            query.isEmpty || $0.title.lowercased().contains(query) || $0.key.address.description.contains(query)
        }
        list.removeAll()
        for row in shown {
            let line = ActionRow(row.title, subtitle: row.key.address.description)
            let picture = AvatarImage(context.home.avatars, size: 32)
            picture.show(name: row.title, hash: row.avatarHash)
            line.prepend(picture.widget)
            line.onActivate {}
            list.append(line)
        }
    }

    private func send(to index: Int) {
        guard shown.indices.contains(index), let account = context.home.account(shown[index].key.account) else {
            return
        }
        let (key, title) = (shown[index].key, shown[index].title)
        let texts = messages.map { MessageText($0.text.body, attachments: $0.text.attachments) }
        window.destroy()
        let window = context.windowContext
        window.attempt { () async throws(StoreError) in
            for text in texts { _ = try await account.send(.text(text), in: key) }
            window.showToast(localized("Sent to %@.", title))
        }
    }
}
