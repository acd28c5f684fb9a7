public import ChatStore
public import MessageFeatures
public import Observation
internal import Waiting
internal import XMPPAddress

/// The timeline of one conversation: a window over the store that updates itself.
///
///     let timeline = Timeline(key, store: store, actions: account)
///     let observation = timeline.items.observe { diff in view.apply(diff) }
///     await timeline.open()                 // the unread line is where it is from now on
///     await timeline.run()                  // until cancelled or the store is closed
///
/// Only a few pages are in memory, however long the conversation is. ``loadOlder()`` and ``loadNewer()`` move the
/// window; at the end of the store the archive is queried. Rows keep their identity: a correction, reaction, retraction
/// or state change is one update.
@MainActor
@Observable
public final class Timeline {
    /// What is before the oldest loaded message.
    public enum OlderMessages: Hashable, Sendable {
        /// Unknown until ``loadOlder()`` has asked.
        case possible
        /// The archive is being queried.
        case loading
        /// The beginning of the conversation.
        case none
        /// The archive cannot be reached; try again later.
        case unreachable
    }

    public let key: ConversationKey
    public let items: ObservableList<TimelineItem>
    public internal(set) var olderMessages = OlderMessages.possible
    /// Whether the window ends with the newest message.
    public private(set) var reachesNewest = true
    /// Whether the user looks at the newest message, so that the window follows new ones. The view reports it with
    /// ``viewMoved(isAtNewest:)``.
    public internal(set) var isAtNewest = true
    /// The number of unread messages, for the button that jumps down.
    public private(set) var unreadCount = 0
    /// The names of those who are typing.
    public private(set) var writing: [String] = []
    /// Which reactions are accepted in this conversation; `nil` for all.
    public package(set) var reactionRestrictions: ReactionRestrictions?
    /// The row to start at after ``open()``: the unread separator; `nil` for the newest message.
    public private(set) var initialItem: TimelineItem.ID?
    /// Why reading the store last failed, if it did.
    public private(set) var problem: StoreError?

    /// Whether pictures that were sent together are one row, see ``TimelineMessage/album``. Set it before ``open()``.
    @ObservationIgnored public var joinsAlbums = false

    @ObservationIgnored let store: any LocalStore
    @ObservationIgnored let actions: (any ConversationActions)?
    @ObservationIgnored let environment: ModelEnvironment
    @ObservationIgnored private let turns = AsyncLock()
    @ObservationIgnored private var conversation: ConversationID?
    @ObservationIgnored var contents: TimelineContents
    @ObservationIgnored private var book = AddressBook()
    @ObservationIgnored var unread: (position: TimelinePosition, count: Int)?
    @ObservationIgnored var askedToRead: TimelinePosition?
    /// The earliest that a window of this timeline knew.
    @ObservationIgnored private var encryptedSince: MessageTime?
    /// Changes since ``open()``, for ``run()``.
    @ObservationIgnored private var changes: StoreChangeSequence?

    /// - Parameters:
    ///   - pageSize: the number of messages per page.
    ///   - pages: the maximum number of loaded pages: the visible part, and as much above and below.
    public init(
        _ key: ConversationKey, store: any LocalStore, actions: (any ConversationActions)? = nil,
        environment: ModelEnvironment = ModelEnvironment(), pageSize: Int = 50, pages: Int = 3
    ) {
        contents = TimelineContents(TimelineWindow(pageSize: max(2, pageSize), pages: max(3, pages)))
        self.key = key
        self.store = store
        self.actions = actions
        self.environment = environment
        items = ObservableList(report: environment.report)
    }

    /// The messages of the window as stored, oldest first.
    public var messages: [StoredMessage] { contents.window.messages }

    /// Shows the conversation at the unread separator, else at the newest message. Opening it again moves the separator
    /// to the current read position.
    public func open() async {
        if changes == nil { changes = store.changes() }
        await update { conversation, window, store throws(StoreError) in
            guard let position = try store.firstUnread(in: conversation) else {
                return (try window.newest(of: conversation, in: store), nil)
            }
            let newest = try window.newest(of: conversation, in: store)
            if let first = newest.messages.first, first.position < position { return (newest, position) }
            return (try window.around(position, of: conversation, in: store), position)
        } then: { (position: TimelinePosition?) in
            unread = position.map { ($0, contents.unreadCount) }
            initialItem = position.map { _ in .unread }
            isAtNewest = position == nil
            // A conversation marked as unread is read when it is opened again.
            if contents.isMarkedUnread { askedToRead = nil }
        }
        if olderMessages != .loading { olderMessages = .possible }
        await actions?.opened(key)
    }

    /// The user closes the conversation.
    public func close() async {
        await actions?.opened(nil)
    }

    /// Follows the store until the task is cancelled or the store is closed. Call ``open()`` first.
    public func run() async {
        let isKnown = changes != nil && problem == nil
        let changes = changes ?? store.changes()
        self.changes = changes
        // ``open()`` has just read it.
        if !isKnown { await refresh() }
        for await change in changes { await apply(change) }
    }

    /// Applies changes of the store.
    public func apply(_ changes: StoreChanges) async {
        let isNamed = conversation.map { changes.messages[$0] != nil || changes.conversations.contains($0) } ?? true
        if isNamed || changes.accounts.contains(key.account) {
            await refresh(book: changes.accounts.contains(key.account))
        }
    }

    /// Reads the window again.
    public func refresh() async { await refresh(book: true) }

    private func refresh(book: Bool) async {
        let follows = isAtNewest
        let lastSeen = contents.newest?.id
        await update(book: book) { conversation, window, store throws(StoreError) in
            var window = window
            // A message that the user has just sent is always shown.
            if !window.reachesNewest, let newest = try store.timeline(of: conversation, .newest, limit: 1).last,
                newest.isOutgoing, newest.state == .queued, newest.id != lastSeen
            {
                return (try window.newest(of: conversation, in: store), true)
            }
            try window.refresh(follows: follows, conversation, store)
            return (window, false)
        } then: { wroteMessage in
            if wroteMessage { isAtNewest = true }
        }
    }

    /// Reads a consistent state of the store, then shows it.
    func update<Note: Sendable>(
        book readsBook: Bool = true,
        _ read:
            @escaping @Sendable (ConversationID, TimelineWindow, any StoreReader) throws(StoreError) -> (
                TimelineWindow, Note
            ), then: @MainActor (Note) -> Void
    ) async {
        await turns.withLock { [store, key] in
            do throws(StoreError) {
                let window = contents.window
                let answer = try await store.read { store throws(StoreError) in
                    let book = readsBook ? try AddressBook(store, of: key.account) : nil
                    guard let conversation = try store.conversation(key) else {
                        return Moment<Note>(
                            book: book,
                            contents: TimelineContents(
                                TimelineWindow(pageSize: window.pageSize, pages: window.pages)))
                    }
                    let (window, note) = try read(conversation, window, store)
                    let contents = try TimelineContents(window, of: conversation, key: key, in: store)
                    return Moment(book: book, conversation: conversation, contents: contents, note: note)
                }
                if let book = answer.book { self.book = book }
                conversation = answer.conversation
                contents = answer.contents
                if let note = answer.note { then(note) }
                problem = nil
                display()
            } catch {
                problem = error
            }
        }
    }

    private struct Moment<Note: Sendable>: Sendable {
        var book: AddressBook?
        var conversation: ConversationID?
        var contents: TimelineContents
        var note: Note?
    }

    func display() {
        checkWindow()
        // What was read and answered is not new any more.
        if let line = unread, contents.unreadCount == 0, let newest = contents.newest, newest.isOutgoing,
            newest.position > line.position
        {
            unread = nil
        }
        encryptedSince = [encryptedSince, contents.encryptedSince].compactMap(\.self).min()
        let layout = TimelineLayout(
            key: key, book: book, calendar: environment.calendar(), unread: unread,
            isLoadingOlder: olderMessages == .loading, encryptedSince: encryptedSince)
        let rows = joinsAlbums ? MessageAlbum.joined(layout.items(contents)) : layout.items(contents)
        if reachesNewest != contents.window.reachesNewest { reachesNewest = contents.window.reachesNewest }
        if unreadCount != contents.unreadCount { unreadCount = contents.unreadCount }
        if !reachesNewest, isAtNewest { isAtNewest = false }
        items.show(rows)
    }

    /// The name of the conversation.
    var title: String { book.title(of: key) }

    func author(_ address: JID) -> String { book.author(address, in: key) }

    /// Sets who is typing in this conversation, by name.
    public func showWriting(_ names: [String]) {
        if names != writing { writing = names }
    }

    private func checkWindow() {
        let messages = contents.window.messages
        if messages.count > contents.window.maximumCount {
            environment.report("A timeline holds \(messages.count) messages, more than it may.")
        }
        if zip(messages, messages.dropFirst()).contains(where: { $0.position >= $1.position }) {
            environment.report("A timeline is out of order.")
        }
    }
}
