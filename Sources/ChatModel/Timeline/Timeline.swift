public import ChatStore
public import Observation
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
    /// The row to start at after ``open()``: the unread separator; `nil` for the newest message.
    public private(set) var initialItem: TimelineItem.ID?
    /// Why reading the store last failed, if it did.
    public private(set) var problem: StoreError?

    /// Whether pictures that were sent together are one row, see ``TimelineMessage/album``. Set it before ``open()``.
    @ObservationIgnored public var joinsAlbums = false

    /// The user's actions on messages.
    public let actions: MessageActions

    @ObservationIgnored let store: any LocalStore
    @ObservationIgnored let account: (any ConversationActions)?
    @ObservationIgnored let environment: ModelEnvironment
    @ObservationIgnored private let loader: TimelineLoader
    @ObservationIgnored private let reading: ReadingProgress
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
        self.key = key
        self.store = store
        self.environment = environment
        account = actions
        self.actions = MessageActions(key, store, actions)
        loader = TimelineLoader(
            key, store, TimelineWindow(pageSize: max(2, pageSize), pages: max(3, pages)))
        reading = ReadingProgress(key, store, actions)
        items = ObservableList(report: environment.report)
    }

    var contents: TimelineContents { loader.contents }

    /// The messages of the window as stored, oldest first.
    public var messages: [StoredMessage] { contents.window.messages }

    /// The days that have messages.
    public var calendar: ConversationCalendar { ConversationCalendar(key, store, environment.calendar()) }

    // MARK: Life

    /// Shows the conversation at the unread separator, else at the newest message. Opening it again moves the separator
    /// to the current read position.
    public func open() async {
        if changes == nil { changes = store.changes() }
        await move(.open, readsBook: true) { [self] result in
            reading.opened(contents, unread: result.unread)
            initialItem = result.unread.map { _ in .unread }
            isAtNewest = result.unread == nil
        }
        if olderMessages != .loading { olderMessages = .possible }
        await account?.opened(key)
    }

    /// The user closes the conversation.
    public func close() async {
        await account?.opened(nil)
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
        let isNamed =
            loader.conversation.map { changes.messages[$0] != nil || changes.conversations.contains($0) } ?? true
        if isNamed || changes.accounts.contains(key.account) {
            await refresh(readsBook: changes.accounts.contains(key.account))
        }
    }

    /// Reads the window again.
    public func refresh() async { await refresh(readsBook: true) }

    private func refresh(readsBook: Bool) async {
        await move(.refresh(follows: isAtNewest, lastSeen: contents.newest?.id), readsBook: readsBook) {
            [self] result in
            if result.hasFound { isAtNewest = true }
        }
    }

    /// Moves the window, then shows it.
    ///
    /// - Parameter then: called before the window is shown, if there is such a conversation.
    func move(
        _ move: TimelineMove, readsBook: Bool = false, then: @MainActor (TimelineMove.Result) -> Void = { _ in }
    ) async {
        do throws(StoreError) {
            try await loader.move(move, readsBook: readsBook) { result in
                if let result { then(result) }
                problem = nil
                display()
            }
        } catch {
            problem = error
        }
    }

    func display() {
        if let fault = contents.window.fault { environment.report(fault) }
        reading.changed(contents)
        encryptedSince = [encryptedSince, contents.encryptedSince].compactMap(\.self).min()
        let layout = TimelineLayout(
            key: key, book: loader.book, calendar: environment.calendar(), unread: reading.separator,
            isLoadingOlder: olderMessages == .loading, encryptedSince: encryptedSince)
        let rows = joinsAlbums ? MessageAlbum.joined(layout.items(contents)) : layout.items(contents)
        if reachesNewest != contents.window.reachesNewest { reachesNewest = contents.window.reachesNewest }
        if unreadCount != contents.unreadCount { unreadCount = contents.unreadCount }
        if !reachesNewest, isAtNewest { isAtNewest = false }
        items.show(rows)
    }

    /// The name of the conversation.
    var title: String { loader.book.title(of: key) }

    func author(_ address: JID) -> String { loader.book.author(address, in: key) }

    /// Sets who is typing in this conversation, by name.
    public func showWriting(_ names: [String]) {
        if names != writing { writing = names }
    }

    // MARK: Moving

    /// Sets whether the newest message is on the screen. New messages then move the window along; otherwise it stays.
    public func viewMoved(isAtNewest: Bool) {
        let follows = isAtNewest && contents.window.reachesNewest
        if self.isAtNewest != follows { self.isAtNewest = follows }
    }

    /// Whether loading older messages may succeed: the store has more than the window, or the archive may.
    ///
    /// ``olderMessages`` describes the archive and says nothing about a window that starts after the store's first
    /// message.
    public var mayLoadOlder: Bool { !contents.window.reachesOldest || olderMessages == .possible }

    /// Loads a page before the window: from the store, then from the archive. `false` if there was none.
    @discardableResult
    public func loadOlder() async -> Bool {
        if await loadOlderFromStore() { return true }
        guard olderMessages != .loading, olderMessages != .none, let account else { return false }
        olderMessages = .loading
        display()
        let answer = await account.loadOlder(in: key)
        switch answer {
        case .arrived: olderMessages = .possible
        case .nothingMore: olderMessages = .none
        case .notNow: olderMessages = .unreachable
        }
        if answer == .arrived, await loadOlderFromStore() { return true }
        display()
        return false
    }

    private func loadOlderFromStore() async -> Bool {
        let before = messages.first?.position
        await move(.older)
        guard let first = messages.first?.position else { return false }
        return before.map { first < $0 } ?? true
    }

    /// Loads a page after the window. `false` if it already ends with the newest message.
    @discardableResult
    public func loadNewer() async -> Bool {
        let before = messages.last?.position
        await move(.newer)
        guard let last = messages.last?.position, let before else { return false }
        return last > before
    }

    /// Shows the newest messages.
    public func showNewest() async { await move(.newest) { [self] _ in isAtNewest = true } }

    /// Shows a message with its neighbours. Returns the row to scroll to, or `nil` if the message is not stored.
    public func show(_ message: MessageID) async -> TimelineItem.ID? {
        var isThere = false
        await move(.message(message)) { [self] result in
            isThere = result.hasFound
            if isThere { isAtNewest = false }
        }
        return isThere ? .message(message) : nil
    }

    /// Shows the first messages at or after a time. Returns the row to scroll to, or `nil` if the conversation is
    /// empty.
    public func show(_ time: MessageTime) async -> TimelineItem.ID? {
        let position = TimelinePosition.start(of: time)
        await move(.position(position)) { [self] _ in isAtNewest = false }
        return (messages.first { $0.position >= position } ?? messages.last).map { .message($0.id) }
    }

    /// Shows the first message of a day, or of the next day that has messages. Returns the row to scroll to, or `nil`
    /// if the conversation is empty or there is no such day.
    public func show(day: Int, month: Int, year: Int) async -> TimelineItem.ID? {
        guard let start = calendar.start(ofDay: day, month: month, year: year) else { return nil }
        return await show(start)
    }

    /// Shows the unread separator. Returns it, or `nil` if there is none.
    public func showUnread() async -> TimelineItem.ID? {
        guard let position = reading.separator?.position else { return nil }
        await move(.separator(position)) { [self] _ in isAtNewest = false }
        return items.index(of: .unread) == nil ? nil : .unread
    }

    /// The message was visible to the user, so everything up to it is read.
    public func seen(_ message: MessageID) async throws(StoreError) {
        try await reading.seen(message, in: contents)
    }
}
