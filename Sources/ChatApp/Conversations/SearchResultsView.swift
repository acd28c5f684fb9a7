internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What a search in everything has found: conversations above, messages below; a click leads to the conversation, or to the message
/// at its place in it.
final class SearchResultsView {
    let root: Widget
    let list: ListView<SearchResultRow>
    let model = ListModel<SearchResult>()
    let messages: SearchModel
    var onOpen: (ConversationKey, MessageID?) -> Void = { _, _ in }
    /// There is something to show, or not.
    var onChange: () -> Void = {}
    private let conversations: ConversationList
    private var text = ""

    init(
        _ conversations: ConversationList, _ messages: SearchModel, _ avatars: AvatarLoader,
        tag: @escaping (AccountID) -> AccountTag?
    ) {
        self.conversations = conversations
        self.messages = messages
        list = ListView(model, selection: .none) { SearchResultRow(avatars, tag: tag) }
        list.activatesOnClick().accessible(label: localized("What was found"))
        root = ScrolledWindow(list).expand(.vertical)
        list.onActivate { [weak self] in self?.activated($0) }
        observe(self) { view in view.compose() }
    }

    /// Looks for conversations and messages; what was asked before is dropped.
    func search(_ text: String) {
        self.text = text
        let messages = messages
        Task { await messages.search(text) }
    }

    var isEmpty: Bool { model.count == 0 }
    var isSearching: Bool { messages.isSearching || messages.text != text }

    private func compose() {
        let conversations = conversations.rows.elements
        let hits = messages.hits.elements
        _ = messages.isSearching
        var results: [SearchResult] = []
        if !messages.text.isEmpty {
            if !conversations.isEmpty {
                results.append(.heading(localized("Conversations")))
                results += conversations.map(SearchResult.conversation)
            }
            if !hits.isEmpty {
                results.append(.heading(localized("Messages")))
                results += hits.map(SearchResult.message)
                if messages.hasMore { results.append(.more) }
            }
        }
        model.show(results)
        onChange()
    }

    func activated(_ index: Int) {
        guard model.items.indices.contains(index) else { return }
        switch model[index] {
        case .heading: break
        case .conversation(let row): onOpen(row.key, nil)
        case .message(let hit): onOpen(hit.key, hit.id)
        case .more: Task { [messages] in await messages.loadMore() }
        }
    }

    /// Return in the field opens what stands first.
    func openFirst() {
        let first = model.items.firstIndex { result in
            switch result {
            case .conversation, .message: true
            case .heading, .more: false
            }
        }
        if let first { activated(first) }
    }
}
