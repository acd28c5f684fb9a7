public import ChatStore
public import Observation
internal import XMPPAddress

/// All conversations of all accounts as a list that keeps itself up to date.
///
///     let list = ConversationList(store: store)
///     let observation = list.rows.observe { diff in view.apply(diff) }
///     await list.run()                                   // until cancelled or the store is closed
///
/// One message is one move or update of one row, however many rows there are.
@MainActor
@Observable
public final class ConversationList {
    public let rows: ObservableList<ConversationRow>
    /// All rows by their conversation, whatever is searched.
    public private(set) var all: [ConversationKey: ConversationRow] = [:]
    /// Unread messages in what is neither muted nor archived; what was marked as unread counts as one.
    public private(set) var unreadCount = 0
    /// Only rows in whose name or address these words are; all when it is empty.
    public private(set) var searchText = ""
    /// Why the store could not be read the last time, if so.
    public private(set) var problem: StoreError?

    @ObservationIgnored let store: any LocalStore
    @ObservationIgnored let environment: ModelEnvironment
    @ObservationIgnored private let turns = Turns()
    @ObservationIgnored private var book = AddressBook()
    @ObservationIgnored private var conversations: [ConversationID: Conversation] = [:]
    @ObservationIgnored private var built: [ConversationID: ConversationRow] = [:]
    @ObservationIgnored private var writing: [ConversationKey: [String]] = [:]

    public init(store: any LocalStore, environment: ModelEnvironment = ModelEnvironment()) {
        self.store = store
        self.environment = environment
        rows = ObservableList(report: environment.report)
    }

    /// Reads the list and follows the store until the task is cancelled or the store is closed.
    public func run() async {
        let changes = store.changes()
        await reload()
        for await change in changes { await apply(change) }
    }

    /// Reads everything.
    public func reload() async {
        await turns.take { [store] in
            do throws(StoreError) {
                let (book, list) = try await store.read { store throws(StoreError) in
                    (try AddressBook(store), try store.conversations())
                }
                self.book = book
                conversations = Dictionary(list.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
                built.removeAll()
                problem = nil
                show()
            } catch {
                problem = error
            }
        }
    }

    /// Takes in what changed in the store: only rows that it names are read.
    public func apply(_ changes: StoreChanges) async {
        let wanted = changes.conversations.union(changes.messages.keys)
        let accounts = changes.accounts
        guard !accounts.isEmpty || !wanted.isEmpty else { return }
        await turns.take { [store] in
            do throws(StoreError) {
                let known = self.book
                let (book, list) = try await store.read { store throws(StoreError) in
                    var list: [Conversation] = []
                    for id in wanted {
                        if let conversation = try store.conversation(id), conversation.isListed {
                            list.append(conversation)
                        }
                    }
                    return (accounts.isEmpty ? nil : try known.reading(accounts, from: store), list)
                }
                for id in wanted {
                    conversations[id] = nil
                    built[id] = nil
                }
                for conversation in list { conversations[conversation.id] = conversation }
                if let book, book != self.book {
                    self.book = book
                    // Conversations of an account that was removed are gone with it.
                    conversations = conversations.filter { book.accounts[$0.value.key.account] != nil }
                    built.removeAll()
                }
                problem = nil
                show()
            } catch {
                problem = error
            }
        }
    }

    /// A row, whether or not the search shows it.
    public func row(_ id: ConversationID) -> ConversationRow? { all.values.first { $0.id == id } }

    /// Shows only rows in whose name or address all of the words are.
    public func search(_ text: String) {
        guard text != searchText else { return }
        searchText = text
        show()
    }

    /// Looks at the clock again: what was muted until now is not any more. For once a minute.
    public func refreshTimes() {
        let now = environment.now()
        for row in built.values {
            if let until = row.mutedUntil, until <= now { built[row.id] = nil }
        }
        show()
    }

    /// Says who is writing in the conversations of an account, by name; conversations that are not named are quiet.
    public func showWriting(_ names: [ConversationKey: [String]], of account: AccountID) {
        let old = writing
        writing = writing.filter { $0.key.account != account }
        for (key, names) in names where key.account == account && !names.isEmpty { writing[key] = names.sorted() }
        guard writing != old else { return }
        for row in built.values where old[row.key] != writing[row.key] { built[row.id] = nil }
        show()
    }

    /// What the author of a message in a conversation is called.
    func author(_ address: JID, in key: ConversationKey) -> String { book.author(address, in: key) }

    private func show() {
        let now = environment.now()
        var shown: [ConversationRow] = []
        shown.reserveCapacity(conversations.count)
        var unread = 0
        for (id, conversation) in conversations {
            let row: ConversationRow
            if let known = built[id] {
                row = known
            } else {
                row = ConversationRow(conversation, book: book, writing: writing[conversation.key] ?? [], now: now)
                built[id] = row
            }
            if !row.isMuted, !row.isArchived { unread += max(row.unreadCount, row.isMarkedUnread ? 1 : 0) }
            if matchesSearch(row) { shown.append(row) }
        }
        built = built.count == conversations.count ? built : built.filter { conversations[$0.key] != nil }
        let all = Dictionary(built.values.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        if all != self.all { self.all = all }
        shown.sort(by: ConversationRow.isBefore)
        rows.show(shown)
        if unreadCount != unread { unreadCount = unread }
    }

    private func matchesSearch(_ row: ConversationRow) -> Bool {
        searchText.isEmpty
            || FoldedName.matches(searchText, in: [FoldedName(row.title), FoldedName(row.key.address.description)])
    }
}
