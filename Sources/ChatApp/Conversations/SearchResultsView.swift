internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The results of a search in all conversations: conversations first, then messages. A click opens the conversation, or
/// the message in it.
final class SearchResultsView {
    let root: Widget
    let list: ListView<SearchResultRow>
    let model = ListModel<SearchResult>()
    let messages: SearchModel
    var onOpen: (ConversationKey, MessageID?) -> Void = { _, _ in }
    /// Called when the results changed.
    var onChange: () -> Void = {}
    private let conversations: ConversationList
    private let contacts: ContactList
    private var text = ""

    init(
        _ conversations: ConversationList, _ messages: SearchModel, _ contacts: ContactList, _ avatars: AvatarLoader,
        _ surroundings: ConversationSurroundings
    ) {
        self.conversations = conversations
        self.messages = messages
        self.contacts = contacts
        list = ListView(model, selection: .none) { SearchResultRow(avatars, surroundings) }
        list.activatesOnClick().accessible(label: localized("What was found"))
        root = ScrolledWindow(list).expand(.vertical)
        list.onActivate { [weak self] in self?.activated($0) }
        observe(self) { view in view.compose() }
    }

    /// Searches conversations and messages; cancels the previous search.
    func search(_ text: String) {
        self.text = text
        let messages = messages
        Task { await messages.search(text) }
    }

    var isEmpty: Bool { model.count == 0 }
    var isSearching: Bool { messages.isSearching || messages.text != text }

    /// More contacts would push the messages out of view; another word narrows them down.
    private static let contactLimit = 20

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
            // A contact with a conversation is found as that.
            let others = contacts.find(messages.text).filter { self.conversations.all[$0.conversation] == nil }
            if !others.isEmpty {
                results.append(.heading(localized("Contacts")))
                results += others.prefix(Self.contactLimit).map(SearchResult.contact)
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
        case .contact(let row): onOpen(row.conversation, nil)
        case .message(let hit): onOpen(hit.key, hit.id)
        case .more: Task { [messages] in await messages.loadMore() }
        }
    }

    /// Opens the first result, for Return in the search field, as soon as the search has finished.
    ///
    /// - Parameter done: called when a result was opened.
    func openFirst(done: @escaping () -> Void = {}) {
        guard isSearching else {
            if openFirstShown() { done() }
            return
        }
        Task { [weak self, messages, text] in
            await messages.search(text)
            guard let self, self.text == text, !self.isSearching else { return }
            self.compose()
            if self.openFirstShown() { done() }
        }
    }

    private func openFirstShown() -> Bool {
        let first = model.items.firstIndex { result in
            switch result {
            case .conversation, .contact, .message: true
            case .heading, .more: false
            }
        }
        guard let first else { return false }
        activated(first)
        return true
    }
}

/// One result of a search.
enum SearchResult: Equatable {
    case heading(String)
    case conversation(ConversationRow)
    /// A contact without a conversation.
    case contact(ContactRow)
    case message(SearchModel.Hit)
    /// Older messages can be loaded.
    case more
}

/// One row of the results.
final class SearchResultRow: ListRow {
    var root: Widget { container }
    private(set) var result: SearchResult?
    private(set) var conversation: ConversationListRow?
    private(set) var hit: SearchHitView?
    private let container = Bin()
    private(set) var contact: ContactListRow?
    private let avatars: AvatarLoader
    private let surroundings: ConversationSurroundings
    private var heading: Label?
    private var more: Label?

    init(_ avatars: AvatarLoader, _ surroundings: ConversationSurroundings) {
        self.avatars = avatars
        self.surroundings = surroundings
    }

    var accessibleText: String? {
        switch result {
        case .heading(let text)?: text
        case .conversation?: conversation?.accessibleText
        case .contact?: contact?.accessibleText
        case .message?: hit?.accessibleText
        case .more?: more?.text
        case nil: nil
        }
    }

    func show(_ result: SearchResult) {
        self.result = result
        switch result {
        case .heading(let text):
            let label = heading ?? Label().textAlignment(0).css("heading", "search-heading")
            heading = label
            label.text = text
            container.show(label)
        case .conversation(let row):
            let view = conversation ?? ConversationListRow(avatars, surroundings)
            conversation = view
            view.show(row)
            container.show(view.root)
        case .contact(let row):
            let view = contact ?? ContactListRow(avatars, hasMenu: false)
            contact = view
            view.show(ContactListItem(content: .contact(row)))
            container.show(view.root)
        case .message(let found):
            let view = hit ?? SearchHitView(avatars)
            hit = view
            view.show(found)
            container.show(view.root)
        case .more:
            let label = more ?? Label(localized("Show older messages")).css("search-more")
            more = label
            container.show(label)
        }
    }
}

/// A message that was found: its conversation, its time, and the text around the first match.
final class SearchHitView {
    let root: Widget
    let title = Label().ellipsize().textAlignment(0).characters(maximum: ConversationListRow.maximumTextWidth)
        .expand(.horizontal).css("conversation-title")
    let time = Label().css("dim-label", "caption")
    let label = Label().ellipsize().textAlignment(0).characters(maximum: ConversationListRow.maximumTextWidth)
        .expand(.horizontal).css("conversation-preview")
    private(set) var accessibleText = ""
    private let picture: AvatarImage

    init(_ avatars: AvatarLoader) {
        picture = AvatarImage(avatars, size: 32)
        let column = Box.vertical(spacing: 2, Box.horizontal(spacing: 6, title, time), label)
            .expand(.horizontal).align(vertical: .center)
        root = Box.horizontal(spacing: 12, picture.widget.align(vertical: .center), column)
            .margins(horizontal: 8, vertical: 6)
    }

    func show(_ hit: SearchModel.Hit) {
        let name = hit.message.isOutgoing ? localized("You") : hit.senderName
        picture.show(
            name: hit.title, hash: nil, of: hit.key.address.description, isRoom: hit.key.kind == .room)
        title.text = hit.title
        time.text = Wording.short(hit.message.time)
        // In a direct conversation, its name already tells who wrote the message.
        let isSaid = hit.key.kind == .room || hit.message.isOutgoing
        label.show(markup: (isSaid ? Markup.escape(name) + ": " : "") + Self.markup(hit.snippet))
        accessibleText = [hit.title, name, hit.snippet.text, Wording.full(hit.message.time)].joined(separator: ", ")
    }

    /// The number of characters in one line of the list, and how many of them precede the first match.
    private static let lineLength = 22
    private static let lead = 10

    private static func markup(_ snippet: SearchSnippet) -> String {
        guard let first = snippet.hits.first, first.upperBound > lineLength else {
            return BodyMarkup.marked(snippet.text, snippet.hits, open: "<b>", close: "</b>")
        }
        let start = SearchSnippet.wordStart(
            in: Array(snippet.text), at: max(0, first.lowerBound - lead), before: first.lowerBound)
        let hits = snippet.hits.map { $0.lowerBound - start + 1..<$0.upperBound - start + 1 }
        return BodyMarkup.marked("…" + snippet.text.dropFirst(start), hits, open: "<b>", close: "</b>")
    }
}
