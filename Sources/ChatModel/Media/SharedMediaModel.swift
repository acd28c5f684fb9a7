public import ChatStore
public import Observation
internal import Waiting

/// The pictures, voice messages or other files of one conversation as far as its history is on this device: newest first, a page at a
/// time, and up to date.
///
///     let pictures = SharedMediaModel(key, kinds: [.picture], store: store)
///     let observation = pictures.items.observe { diff in view.apply(diff) }
///     await pictures.run()                  // until cancelled or the store is closed
///
/// However much was shared, no more is in memory than was asked for by ``loadMore()``. What was taken back goes, and what a
/// correction has replaced is not there.
@MainActor
@Observable
public final class SharedMediaModel {
    public let key: ConversationKey
    public let kinds: Set<Attachment.Kind>
    public let items: ObservableList<SharedMediaItem>
    /// It was looked; before that an empty list says nothing.
    public private(set) var isKnown = false
    /// There are older ones: ``loadMore()``.
    public private(set) var hasMore = false
    /// Why the store could not be read the last time, if so.
    public private(set) var problem: StoreError?

    /// So many messages are read at a time.
    public static let standardPageSize = 60

    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private let turns = AsyncLock()
    @ObservationIgnored private var stretch: SharedMediaStretch
    @ObservationIgnored private var conversation: ConversationID?
    @ObservationIgnored private var book = AddressBook()
    /// What has changed since it was opened, for ``run()``.
    @ObservationIgnored private var changes: StoreChangeSequence?

    public init(
        _ key: ConversationKey, kinds: Set<Attachment.Kind>, store: any LocalStore,
        environment: ModelEnvironment = ModelEnvironment(), pageSize: Int = standardPageSize
    ) {
        self.key = key
        self.kinds = kinds
        self.store = store
        stretch = SharedMediaStretch(kinds, pageSize: pageSize)
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

    /// Adds a page of older ones; `false` if there is none.
    @discardableResult
    public func loadMore() async -> Bool {
        let before = items.elements.count
        await update(book: false) { stretch, conversation, store throws(StoreError) in
            try stretch.loadOlder(conversation, store)
        }
        return items.elements.count > before
    }

    /// Takes in what changed in the store.
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
        var stretch: SharedMediaStretch
    }

    /// Reads in one moment of the store, then shows it. A conversation that has begun, or was removed and has begun anew, is read
    /// from its newest page on.
    private func update(
        book readsBook: Bool = true,
        _ read:
            @escaping @Sendable (inout SharedMediaStretch, ConversationID, any StoreReader) throws(StoreError) -> Void
    ) async {
        await turns.withLock { [store, key] in
            let (before, known) = (stretch, conversation)
            do throws(StoreError) {
                let moment = try await store.read { store throws(StoreError) in
                    var moment = Moment(
                        book: readsBook ? try AddressBook(store) : nil, conversation: try store.conversation(key),
                        stretch: before)
                    if moment.conversation != known || known == nil {
                        moment.stretch = SharedMediaStretch(before.kinds, pageSize: before.pageSize)
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
                // A draft, or a mark of what was read, changes nothing here.
                if isSame { return }
            } catch {
                // What has changed meanwhile is not known any more, so the next look begins anew.
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

/// A picture, voice message or other file of a conversation, and the message that it came with.
public struct SharedMediaItem: Identifiable, Hashable, Sendable {
    public struct ID: Hashable, Sendable {
        public let message: MessageID
        /// Which of the message's files.
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

    /// The files of these kinds, the last one first, as in a list that begins with the newest.
    static func items(of message: TimelineMessage, _ kinds: Set<Attachment.Kind>) -> [SharedMediaItem] {
        message.text.attachments.enumerated().reversed().filter { kinds.contains($0.element.kind) }.map {
            SharedMediaItem(message: message, index: $0.offset, attachment: $0.element)
        }
    }
}

/// The newest messages of a conversation that have files of some kinds, as far back as was asked for; newest first.
struct SharedMediaStretch: Sendable, Equatable {
    let kinds: Set<Attachment.Kind>
    let pageSize: Int
    private(set) var messages: [StoredMessage] = []
    /// There is nothing before ``messages``.
    private(set) var reachesOldest = false
    /// Everything from here on is in ``messages``; `nil` stands for the beginning, or for nothing that was read yet. It stays where it is
    /// when the message there goes.
    private var start: TimelinePosition?

    init(_ kinds: Set<Attachment.Kind>, pageSize: Int) {
        self.kinds = kinds
        self.pageSize = max(1, pageSize)
    }

    /// Adds a page of older ones.
    mutating func loadOlder(_ conversation: ConversationID, _ store: any StoreReader) throws(StoreError) {
        guard !reachesOldest else { return }
        let rows = try store.sharedMedia(of: conversation, kinds, before: start, limit: pageSize + 1)
        messages += rows.prefix(pageSize)
        reachesOldest = rows.count <= pageSize
        start = reachesOldest ? nil : messages.last?.position
    }

    /// Looks at messages that changed, and at no others; what has gone makes room for older ones.
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
