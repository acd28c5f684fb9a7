public import ChatStore
public import Observation

/// Finds text in one conversation and moves from match to match: the newest first, then older ones.
///
///     let finder = ConversationFinder(key, store: store)
///     let newest = await finder.find("rose")       // the message to show
///     let older = await finder.showOlder()         // the next one above it
@MainActor
@Observable
public final class ConversationFinder {
    public let key: ConversationKey
    /// The text to find; empty when there is no search.
    public private(set) var text = ""
    /// The index of the current match: 0 is the newest; `nil` without a match.
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

    /// The number of matches found so far; ``hasMore`` shows whether there are older ones.
    public var count: Int { search.hits.elements.count }
    public var hasMore: Bool { search.hasMore }
    public var isSearching: Bool { search.isSearching }
    public var problem: StoreError? { search.problem }

    /// The message of the current match.
    public var current: MessageID? {
        position.flatMap { search.hits.elements.indices.contains($0) ? search.hits.elements[$0].id : nil }
    }

    /// Finds messages with all of the words and returns the newest; `nil` if there is none, or if another search was
    /// started meanwhile.
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

    /// Moves to the match above; `nil` at the oldest.
    public func showOlder() async -> MessageID? {
        guard let position else { return nil }
        if position + 1 >= count { await search.loadMore() }
        guard position == self.position, position + 1 < count else { return nil }
        self.position = position + 1
        return current
    }

    /// Moves to the match below; `nil` at the newest.
    public func showNewer() -> MessageID? {
        guard let position, position > 0 else { return nil }
        self.position = position - 1
        return current
    }
}
