import ChatStore
import XMPPAddress

/// This library's store, by its public interface.
final class HongyanSubject: StoreSubject {
    let name = "Hongyan"
    let path: String
    let searchCount = 20
    let liveCount = 2000

    private let me: JID
    private let peers: [JID]
    private var store: SQLiteStore?
    private var account = AccountID(rawValue: 1)
    private var conversations: [ConversationID] = []
    private var anchor: String?
    private var oldest: StoredMessage?

    init(folder: String) throws {
        path = folder + "/hongyan.db"
        me = try JID(MessageCorpus.me)
        peers = try (0..<MessageCorpus.peerCount).map { try JID(MessageCorpus.peer($0)) }
    }

    private func requireStore() throws -> SQLiteStore {
        guard let store else { throw StoreError(.closed, "The store is not open.") }
        return store
    }

    func create() async throws {
        let store = try await SQLiteStore.open(at: path)
        let me = me
        account = try await store.write { store throws(StoreError) in try store.addAccount(me) }
        self.store = store
    }

    func fill(_ messages: ArraySlice<CorpusMessage>) async throws {
        var pages: [StoredArchivePage] = []
        var rest = messages
        while !rest.isEmpty {
            pages.append(page(rest.prefix(PageSize.archive)))
            rest = rest.dropFirst(PageSize.archive)
        }
        try await keep(pages)
    }

    private func keep(_ pages: [StoredArchivePage]) async throws {
        let account = account
        try await requireStore().write { store throws(StoreError) in
            for page in pages { try store.receive(page, account: account) }
        }
    }

    private func page(_ messages: ArraySlice<CorpusMessage>) -> StoredArchivePage {
        let items = messages.map { message in
            ArchiveItem(
                id: message.archiveID, time: MessageTime(millisecondsSince1970: message.time),
                content: .message(copy(of: message, by: .archive), in: key(message.peer)))
        }
        defer { anchor = items.last?.id }
        return StoredArchivePage(
            archive: me, query: StoredArchiveQuery(.forward, anchor: anchor), items: items, isComplete: false)
    }

    private func key(_ peer: Int) -> ConversationKey {
        ConversationKey(account: account, address: peers[peer], kind: .direct)
    }

    private func copy(of message: CorpusMessage, by route: MessageCopy.Route) -> MessageCopy {
        MessageCopy(
            route: route, sender: message.isOutgoing ? me : peers[message.peer], isOutgoing: message.isOutgoing,
            wireID: message.id, originID: message.id, time: MessageTime(millisecondsSince1970: message.time),
            content: .text(MessageText(message.body)))
    }

    func settle() async throws { try await requireStore().finishSearchIndex() }

    func markRead() async throws {
        try await requireStore().write { store throws(StoreError) in
            for conversation in try store.conversations() {
                if let last = conversation.lastMessage { try store.markRead(upTo: last.id) }
            }
        }
    }

    func receive(page messages: ArraySlice<CorpusMessage>) async throws { try await keep([page(messages)]) }

    func receive(live message: CorpusMessage) async throws {
        var copy = copy(of: message, by: .live)
        copy.archiveReferences = [ArchiveReference(archive: me, id: message.archiveID)]
        let received = copy
        let key = key(message.peer)
        _ = try await requireStore().write { store throws(StoreError) in try store.receive(received, in: key) }
    }

    func close() async throws {
        await store?.close()
        store = nil
    }

    func openWithList() async throws -> Int {
        let store = try await SQLiteStore.open(at: path)
        self.store = store
        let list = try await store.read { store throws(StoreError) in try store.conversations() }
        if conversations.isEmpty {
            let numbers = Dictionary(uniqueKeysWithValues: list.map { ($0.key.address, $0.id) })
            conversations = peers.map { numbers[$0] ?? ConversationID(rawValue: 0) }
        }
        return list.count
    }

    func firstPage(of peer: Int) async throws -> Int {
        let conversation = conversations[peer]
        return try await read(conversation, .newest)
    }

    func pageBefore() async throws -> Int {
        guard let oldest else { return 0 }
        return try await read(oldest.conversation, .before(oldest.position))
    }

    private func read(_ conversation: ConversationID, _ anchor: TimelineAnchor) async throws -> Int {
        let page = try await requireStore().read { store throws(StoreError) in
            try store.timeline(of: conversation, anchor, limit: PageSize.screen)
        }
        oldest = page.first
        return page.count
    }

    func search(_ words: String) async throws -> Int {
        try await requireStore().read { store throws(StoreError) in
            try store.search(SearchRequest(words)).messages.count
        }
    }
}
