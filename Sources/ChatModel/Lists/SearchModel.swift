public import ChatStore
public import Observation

/// Finds messages, everywhere or in one conversation, a page at a time, newest first.
@MainActor
@Observable
public final class SearchModel {
    /// Where is searched.
    public enum Scope: Hashable, Sendable {
        case everywhere
        case account(AccountID)
        case conversation(ConversationID)
    }

    /// A message that was found.
    public struct Hit: Identifiable, Hashable, Sendable {
        public let message: StoredMessage
        public let key: ConversationKey
        /// The name of its conversation.
        public let title: String
        public let senderName: String
        public let snippet: SearchSnippet

        public var id: MessageID { message.id }
    }

    public let hits: ObservableList<Hit>
    public private(set) var text = ""
    public private(set) var scope: Scope
    public private(set) var isSearching = false
    /// There are older ones: ``loadMore()``.
    public private(set) var hasMore = false
    /// Why it could not be searched, if so.
    public private(set) var problem: StoreError?

    /// So many are found at a time.
    public static let pageSize = 30

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private var next: MessageID?
    /// Counts the requests, so that an answer to an older one is not shown.
    @ObservationIgnored private var turn = 0

    public init(
        store: any LocalStore, scope: Scope = .everywhere, environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.store = store
        self.scope = scope
        hits = ObservableList(report: environment.report)
    }

    /// Looks for messages with all of the words. What was asked before is dropped, so call it at each letter.
    public func search(_ text: String, in scope: Scope? = nil) async {
        self.text = text
        if let scope { self.scope = scope }
        turn += 1
        next = nil
        guard text.contains(where: { !$0.isWhitespace }) else {
            isSearching = false
            hasMore = false
            hits.show([])
            return
        }
        await find()
    }

    /// Finds older ones.
    public func loadMore() async {
        if hasMore, !isSearching { await find() }
    }

    private func find() async {
        let mine = turn
        let before = next
        var request = SearchRequest(text, before: before, limit: Self.pageSize)
        switch scope {
        case .everywhere: break
        case .account(let account): request.account = account
        case .conversation(let conversation): request.conversation = conversation
        }
        isSearching = true
        do throws(StoreError) {
            let (found, next) = try await store.read { [request] store throws(StoreError) in
                let results = try store.search(request)
                let book = try AddressBook(store)
                var hits: [Hit] = []
                for message in results.messages {
                    guard let key = try store.conversation(message.conversation)?.key else { continue }
                    hits.append(
                        Hit(
                            message: message, key: key, title: book.title(of: key),
                            senderName: book.author(message.sender, in: key),
                            snippet: SearchSnippet(of: message.text.body, for: request.text)))
                }
                return (hits, results.next)
            }
            guard mine == turn else { return }
            self.next = next
            hasMore = next != nil
            problem = nil
            hits.show((before == nil ? [] : hits.elements) + found)
        } catch {
            guard mine == turn else { return }
            problem = error
        }
        isSearching = false
    }
}
