public import ChatStore
public import Observation
internal import Waiting
internal import XMPPAddress

/// All conversations of all accounts, as a list that updates itself.
///
///     let list = ConversationList(store: store)
///     let observation = list.rows.observe { diff in view.apply(diff) }
///     await list.run()                                   // until cancelled or the store is closed
///
/// A new message is one move or update of one row, however many rows there are.
@MainActor
@Observable
public final class ConversationList {
    public let rows: ObservableList<ConversationRow>
    /// All rows by conversation, regardless of the search.
    public private(set) var all: [ConversationKey: ConversationRow] = [:]
    /// The unread messages in conversations that are neither muted nor archived; one marked as unread counts as 1.
    public private(set) var unreadCount = 0
    /// The search: only rows whose name or address contains these words; empty shows all.
    public private(set) var searchText = ""
    /// Why reading the store last failed, if it did.
    public private(set) var problem: StoreError?

    @ObservationIgnored let store: any LocalStore
    @ObservationIgnored let environment: ModelEnvironment
    @ObservationIgnored private let turns = AsyncLock()
    @ObservationIgnored private var book = AddressBook()
    @ObservationIgnored private var conversations: [ConversationID: Conversation] = [:]
    @ObservationIgnored private var built: [ConversationID: ConversationRow] = [:]
    @ObservationIgnored private var writing: [ConversationKey: [String]] = [:]
    /// Conversations that came into the list without a message: a room is listed as soon as it is joined.
    @ObservationIgnored private var added: Set<ConversationID> = []

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
        await turns.withLock { [store] in
            do throws(StoreError) {
                let (book, list) = try await store.read { store throws(StoreError) in
                    return (try AddressBook(store), try store.conversations())
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

    /// Applies changes of the store: reads only the rows that they name.
    public func apply(_ changes: StoreChanges) async {
        let wanted = changes.conversations.union(changes.messages.keys)
        guard !changes.accounts.isEmpty || !wanted.isEmpty else { return }
        await turns.withLock { [store] in
            do throws(StoreError) {
                let known = self.book
                let (book, list) = try await store.read { store throws(StoreError) in
                    let list = try store.conversations(wanted)
                    return (changes.accounts.isEmpty ? nil : try known.reading(changes.accounts, from: store), list)
                }
                added.formUnion(list.filter { conversations[$0.id] == nil && $0.lastMessage == nil }.map(\.id))
                for id in wanted {
                    conversations[id] = nil
                    built[id] = nil
                }
                for conversation in list { conversations[conversation.id] = conversation }
                if let book, book != self.book {
                    self.book = book
                    // The conversations of a removed account disappear with it.
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

    /// Lists a conversation that the user has opened, even if nothing is said in it: as the newest one, unless it is listed
    /// already. Its place is stored.
    public func begin(_ key: ConversationKey) async throws(StoreError) {
        if let row = all[key], row.position != nil || !added.contains(row.id) { return }
        let id = try await store.write { [now = environment.now()] store throws(StoreError) in
            try store.begin(key, at: now)
        }
        var changes = StoreChanges()
        changes.conversations = [id]
        await apply(changes)
    }

    /// A row, regardless of the search.
    public func row(_ id: ConversationID) -> ConversationRow? { all.values.first { $0.id == id } }

    /// Shows only rows whose name or address contains all of the words.
    public func search(_ text: String) {
        guard text != searchText else { return }
        searchText = text
        show()
    }

    /// The conversations whose name or address contains all of the words, regardless of ``searchText``.
    public func find(_ text: String) -> [ConversationRow] {
        all.values.filter { $0.matches(text) }.sorted(by: ConversationRow.isBefore)
    }

    /// Checks the clock for mutes that have expired. Call it once a minute.
    public func refreshTimes() {
        let now = environment.now()
        for row in built.values {
            if let until = row.mutedUntil, until <= now { built[row.id] = nil }
        }
        show()
    }

    /// Sets the names of the people who are typing in the conversations of an account; none in all others.
    public func showWriting(_ names: [ConversationKey: [String]], of account: AccountID) {
        let old = writing
        writing = writing.filter { $0.key.account != account }
        for (key, names) in names where key.account == account && !names.isEmpty { writing[key] = names.sorted() }
        guard writing != old else { return }
        for row in built.values where old[row.key] != writing[row.key] { built[row.id] = nil }
        show()
    }

    /// The name of a message's author.
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
            if searchText.isEmpty || row.matches(searchText) { shown.append(row) }
        }
        built = built.count == conversations.count ? built : built.filter { conversations[$0.key] != nil }
        let all = Dictionary(built.values.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        if all != self.all { self.all = all }
        shown.sort(by: ConversationRow.isBefore)
        rows.show(shown)
        if unreadCount != unread { unreadCount = unread }
    }
}

extension StoreReader {
    /// Those of some conversations that the list shows.
    fileprivate func conversations(_ wanted: Set<ConversationID>) throws(StoreError) -> [Conversation] {
        var list: [Conversation] = []
        for id in wanted {
            if let conversation = try conversation(id), conversation.isListed { list.append(conversation) }
        }
        return list
    }
}

extension StoreWriter {
    /// The number of a conversation that begins now, unless it has begun before.
    fileprivate func begin(_ key: ConversationKey, at now: MessageTime) throws(StoreError) -> ConversationID {
        let id = try openConversation(key)
        if try conversation(id)?.begun == nil { try noteBeginning(of: id, at: now) }
        return id
    }
}
