internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What is found for words: conversations by their name, and messages.
enum SearchResult {
    case heading(String)
    case conversation(ConversationRow)
    case message(SearchModel.Hit)
    /// There are older messages.
    case more
}

/// One line of what was found.
final class SearchResultRow: ListRow {
    var root: Widget { place }
    private(set) var result: SearchResult?
    private(set) var conversation: ConversationListRow?
    private(set) var hit: SearchHitView?
    private let place = Bin()
    private let avatars: AvatarLoader
    private let tag: (AccountID) -> AccountTag?
    private var heading: Label?
    private var more: Label?

    /// - Parameter tag: tells an account from the others.
    init(_ avatars: AvatarLoader, tag: @escaping (AccountID) -> AccountTag?) {
        self.avatars = avatars
        self.tag = tag
    }

    func show(_ result: SearchResult) {
        self.result = result
        switch result {
        case .heading(let text):
            let label = heading ?? Label().textAlignment(0).css("heading", "search-heading")
            heading = label
            label.text = text
            place.show(label)
        case .conversation(let row):
            let view = conversation ?? ConversationListRow(avatars, tag: tag)
            conversation = view
            view.show(row)
            place.show(view.root)
        case .message(let found):
            let view = hit ?? SearchHitView(avatars)
            hit = view
            view.show(found)
            place.show(view.root)
        case .more:
            let label = more ?? Label(localized("Show older messages")).css("search-more")
            more = label
            place.show(label)
        }
    }
}

/// A message that was found: in which conversation, when, and the words around what was searched for.
final class SearchHitView {
    let root: Widget
    let title = Label().ellipsize().textAlignment(0).characters(maximum: ConversationListRow.widestWish)
        .expand(.horizontal).css("conversation-title")
    let time = Label().css("dim-label", "caption")
    let words = Label().ellipsize().textAlignment(0).characters(maximum: ConversationListRow.widestWish)
        .expand(.horizontal).css("conversation-preview")
    private let picture: PersonPicture

    init(_ avatars: AvatarLoader) {
        picture = PersonPicture(avatars, size: 32)
        let column = Box.vertical(spacing: 2, Box.horizontal(spacing: 6, title, time), words)
            .expand(.horizontal).align(vertical: .center)
        root = Box.horizontal(spacing: 12, picture.widget.align(vertical: .center), column)
            .margins(horizontal: 8, vertical: 6)
    }

    func show(_ hit: SearchModel.Hit) {
        let name = hit.message.isOutgoing ? localized("You") : hit.senderName
        picture.show(name: hit.title, hash: nil)
        title.text = hit.title
        time.text = Wording.short(hit.message.time)
        // Between two people the name of the other one stands above already.
        let isSaid = hit.key.kind == .room || hit.message.isOutgoing
        words.show(markup: (isSaid ? Markup.escape(name) + ": " : "") + Self.markup(hit.snippet))
        root.accessible(
            label: [hit.title, name, hit.snippet.text, Wording.full(hit.message.time)].joined(separator: ", "))
    }

    /// As many characters stand in one line of the list, and so many of them before the first word that was found.
    private static let lineLength = 22
    private static let lead = 10

    private static func markup(_ snippet: SearchSnippet) -> String {
        guard let first = snippet.hits.first, first.upperBound > lineLength else {
            return BodyMarkup.marked(snippet.text, snippet.hits, open: "<b>", close: "</b>")
        }
        let start = max(0, first.lowerBound - lead)
        let hits = snippet.hits.map { $0.lowerBound - start + 1..<$0.upperBound - start + 1 }
        return BodyMarkup.marked("…" + snippet.text.dropFirst(start), hits, open: "<b>", close: "</b>")
    }
}
