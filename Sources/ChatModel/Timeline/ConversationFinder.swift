public import ChatStore
public import Observation

/// Finds words in one conversation and goes from match to match: the newest first, then older ones.
///
///     let finder = ConversationFinder(key, store: store)
///     let newest = await finder.find("rose")       // the message to show
///     let older = await finder.showOlder()         // the next one above it
@MainActor
@Observable
public final class ConversationFinder {
    public let key: ConversationKey
    /// What is looked for; empty where nothing is.
    public private(set) var text = ""
    /// Which of the matches is shown: 0 is the newest; `nil` if there is none.
    public private(set) var position: Int?

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private let search: SearchModel

    public init(
        _ key: ConversationKey, store: any LocalStore, environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.key = key
        self.store = store
        search = SearchModel(store: store, environment: environment)
    }

    /// The matches that were found so far; there may be older ones where ``hasMore`` says so.
    public var count: Int { search.hits.elements.count }
    public var hasMore: Bool { search.hasMore }
    public var isSearching: Bool { search.isSearching }
    public var problem: StoreError? { search.problem }

    /// The message that is shown.
    public var current: MessageID? {
        position.flatMap { search.hits.elements.indices.contains($0) ? search.hits.elements[$0].id : nil }
    }

    /// Looks for messages with all of the words and goes to the newest; `nil` if there is none, or if other words are looked for
    /// meanwhile.
    public func find(_ text: String) async -> MessageID? {
        self.text = text
        position = nil
        let conversation = try? await store.read { [key] store throws(StoreError) in try store.conversation(key) }
        guard self.text == text, let conversation = conversation.flatMap(\.self) else { return nil }
        await search.search(text, in: .conversation(conversation))
        guard self.text == text, count > 0 else { return nil }
        position = 0
        return current
    }

    /// Goes to the match above; `nil` if this was the oldest.
    public func showOlder() async -> MessageID? {
        guard let position else { return nil }
        if position + 1 >= count { await search.loadMore() }
        guard position == self.position, position + 1 < count else { return nil }
        self.position = position + 1
        return current
    }

    /// Goes to the match below; `nil` if this was the newest.
    public func showNewer() -> MessageID? {
        guard let position, position > 0 else { return nil }
        self.position = position - 1
        return current
    }
}
