public import ChatStore
public import Observation
internal import Waiting

/// The pictures, voice messages or other files of one conversation that are on this device: newest first, page by page,
/// and up to date.
///
///     let pictures = SharedMediaModel(key, kinds: [.picture], store: store)
///     let observation = pictures.items.observe { diff in view.apply(diff) }
///     await pictures.run()                  // until cancelled or the store is closed
///
/// Only the pages loaded with ``loadMore()`` are in memory. Retracted files disappear, and files replaced by a
/// correction are not included.
@MainActor
@Observable
public final class SharedMediaModel {
    public let key: ConversationKey
    public let kinds: Set<Attachment.Kind>
    public let items: ObservableList<SharedMediaItem>
    /// Whether the store was read; an empty list means nothing before that.
    public private(set) var isKnown = false
    /// Whether there are older ones: ``loadMore()``.
    public private(set) var hasMore = false
    /// Why reading the store last failed, if it did.
    public private(set) var problem: StoreError?

    /// The number of messages per page.
    public static let standardPageSize = 60

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private let turns = AsyncLock()
    @ObservationIgnored private var stretch: SharedMediaPages
    @ObservationIgnored private var conversation: ConversationID?
    @ObservationIgnored private var book = AddressBook()
    /// Changes since ``open()``, for ``run()``.
    @ObservationIgnored private var changes: StoreChangeSequence?

    public init(
        _ key: ConversationKey, kinds: Set<Attachment.Kind>, store: any LocalStore,
        environment: ModelEnvironment = ModelEnvironment(), pageSize: Int = standardPageSize
    ) {
        self.key = key
        self.kinds = kinds
        self.store = store
        stretch = SharedMediaPages(kinds, pageSize: pageSize)
        items = ObservableList(report: environment.report)
    }

    /// Reads the newest page, unless that was done.
    public func open() async {
        if changes == nil { changes = store.changes() }
        await update { _, _, _ throws(StoreError) in }
    }

    /// Follows the store until the task is cancelled or the store is closed.
    public func run() async {
        if changes == nil || !isKnown { await open() }
        guard let changes else { return }
        for await change in changes { await apply(change) }
    }

    /// Loads a page of older ones; `false` if there are none.
    @discardableResult
    public func loadMore() async -> Bool {
        let before = items.elements.count
        await update(book: false) { stretch, conversation, store throws(StoreError) in
            try stretch.loadOlder(conversation, store)
        }
        return items.elements.count > before
    }

    /// Applies changes of the store.
    public func apply(_ changes: StoreChanges) async {
        let isNamed =
            conversation.map { changes.messages[$0] != nil || changes.conversations.contains($0) }
            ?? !changes.conversations.isEmpty
        let isRenamed = changes.accounts.contains(key.account)
        guard isNamed || isRenamed else { return }
        await update(book: isRenamed) { stretch, conversation, store throws(StoreError) in
            let changed = changes.messages[conversation] ?? []
            if !changed.isEmpty { try stretch.refresh(changed, conversation, store) }
        }
    }

    private struct Moment: Sendable {
        var book: AddressBook?
        var conversation: ConversationID?
        var stretch: SharedMediaPages
    }

    /// Reads a consistent state of the store, then shows it. A conversation that was created, or deleted and created
    /// again, is read from its newest page.
    private func update(
        book readsBook: Bool = true,
        _ read:
            @escaping @Sendable (inout SharedMediaPages, ConversationID, any StoreReader) throws(StoreError) -> Void
    ) async {
        await turns.withLock { [store, key] in
            let (before, known) = (stretch, conversation)
            do throws(StoreError) {
                let moment = try await store.read { store throws(StoreError) in
                    var moment = Moment(
                        book: readsBook ? try AddressBook(store, of: key.account) : nil,
                        conversation: try store.conversation(key),
                        stretch: before)
                    if moment.conversation != known || known == nil {
                        moment.stretch = SharedMediaPages(before.kinds, pageSize: before.pageSize)
                        if let new = moment.conversation { try moment.stretch.loadOlder(new, store) }
                    } else if let known {
                        try read(&moment.stretch, known, store)
                    }
                    return moment
                }
                let isSame = isKnown && moment.stretch == before && (moment.book ?? book) == book
                if let book = moment.book { self.book = book }
                conversation = moment.conversation
                stretch = moment.stretch
                if problem != nil { problem = nil }
                // Drafts and read positions change nothing here.
                if isSame { return }
            } catch {
                // The changes since then are unknown, so the next update starts over.
                conversation = nil
                problem = error
            }
            display()
        }
    }

    private func display() {
        items.show(
            stretch.messages.flatMap { message in
                SharedMediaItem.items(
                    of: TimelineMessage(message, answered: nil, key: key, book: book), kinds)
            })
        let hasMore = conversation != nil && !stretch.reachesOldest
        if self.hasMore != hasMore { self.hasMore = hasMore }
        if !isKnown { isKnown = true }
    }
}

/// A file of a conversation, with the message that it belongs to.
public struct SharedMediaItem: Identifiable, Hashable, Sendable {
    public struct ID: Hashable, Sendable {
        public let message: MessageID
        /// The index among the message's attachments.
        public let index: Int

        public init(message: MessageID, index: Int) {
            self.message = message
            self.index = index
        }
    }

    public let message: TimelineMessage
    public let index: Int
    public let attachment: Attachment

    public var id: ID { ID(message: message.id, index: index) }

    /// The attachments of these kinds, last one first, as in a list with the newest first.
    static func items(of message: TimelineMessage, _ kinds: Set<Attachment.Kind>) -> [SharedMediaItem] {
        message.text.attachments.enumerated().reversed().filter { kinds.contains($0.element.kind) }.map {
            SharedMediaItem(message: message, index: $0.offset, attachment: $0.element)
        }
    }
}

/// The loaded messages of a conversation with files of some kinds, newest first.
struct SharedMediaPages: Sendable, Equatable {
    let kinds: Set<Attachment.Kind>
    let pageSize: Int
    private(set) var messages: [StoredMessage] = []
    /// Whether there is nothing before ``messages``.
    private(set) var reachesOldest = false
    /// All messages from here on are in ``messages``; `nil` for the beginning, or before anything was read. It stays
    /// when the message at this position is removed.
    private var start: TimelinePosition?

    init(_ kinds: Set<Attachment.Kind>, pageSize: Int) {
        self.kinds = kinds
        self.pageSize = max(1, pageSize)
    }

    /// Loads a page of older messages.
    mutating func loadOlder(_ conversation: ConversationID, _ store: any StoreReader) throws(StoreError) {
        guard !reachesOldest else { return }
        let rows = try store.sharedMedia(of: conversation, kinds, before: start, limit: pageSize + 1)
        messages += rows.prefix(pageSize)
        reachesOldest = rows.count <= pageSize
        start = reachesOldest ? nil : messages.last?.position
    }

    /// Reads only the messages that changed; removed ones are replaced by older ones.
    mutating func refresh(
        _ changed: Set<MessageID>, _ conversation: ConversationID, _ store: any StoreReader
    ) throws(StoreError) {
        messages.removeAll { changed.contains($0.id) }
        for id in changed {
            guard let message = try store.message(id), message.conversation == conversation,
                message.text.attachments.contains(where: { kinds.contains($0.kind) }), holds(message.position)
            else { continue }
            messages.append(message)
        }
        messages.sort { $0.position > $1.position }
        if messages.count < pageSize { try loadOlder(conversation, store) }
    }

    private func holds(_ position: TimelinePosition) -> Bool {
        start.map { position >= $0 } ?? reachesOldest
    }
}
