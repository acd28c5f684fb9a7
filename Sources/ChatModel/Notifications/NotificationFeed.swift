public import ChatStore
internal import XMPPAddress

/// Decides which messages cause a notification, and when notifications are withdrawn; it shows nothing itself.
///
///     let feed = NotificationFeed(home) { key in window.isShowing(key) }
///     feed.announce = { notification, key in … }
///     feed.withdraw = { conversation in … }
///     await feed.run()                                    // until cancelled or the store is closed
///
/// Each message is decided once, when it arrives: later reactions and corrections do not notify again, and old messages
/// from an archive do not notify at all. A message that could not be decrypted is decided once more when its copy is here.
@MainActor
public final class NotificationFeed {
    /// Shows a notification; of several messages of one conversation that arrive together, the last one.
    public var announce: (MessageNotification, ConversationKey) -> Void = { _, _ in }
    /// Withdraws the notification of a conversation that was read, here or on another device.
    public var withdraw: (ConversationID) -> Void = { _ in }

    /// Whether messages from now on are new.
    public private(set) var hasStarted = false

    private let store: any LocalStore
    private let preferences: Preferences
    private let environment: ModelEnvironment
    private let isQuiet: () -> Bool
    private let isInFront: (ConversationKey) -> Bool
    /// Whether somebody in a room may address everybody in it.
    private let mayAddressEverybody: (ConversationKey, _ nickname: String) async -> Bool
    /// The newest message seen of each conversation.
    private var latest: [ConversationID: TimelinePosition] = [:]
    private var announced: Set<ConversationID> = []
    /// Messages of which a copy was requested.
    private var awaited: Set<MessageID> = []
    /// The number of such messages: those of an hour of a busy day.
    private static let awaitedLimit = 256

    /// - Parameter isInFront: whether the user is looking at a conversation.
    public convenience init(_ home: ChatHome, isInFront: @escaping (ConversationKey) -> Bool) {
        self.init(
            store: home.store, preferences: home.preferences, environment: home.environment,
            isQuiet: { home.availability == .doNotDisturb },
            mayAddressEverybody: { [weak home] key, nickname in
                let state = await home?.account(key.account)?.rooms.state(of: key.address)
                return state?.people.first { $0.nickname == nickname }?.mayAddressEverybody ?? false
            }, isInFront: isInFront)
    }

    /// - Parameters:
    ///   - isQuiet: whether the user has turned notifications off.
    ///   - mayAddressEverybody: whether somebody in a room may address everybody in it.
    ///   - isInFront: whether the user is looking at a conversation.
    public init(
        store: any LocalStore, preferences: Preferences, environment: ModelEnvironment,
        isQuiet: @escaping () -> Bool,
        mayAddressEverybody: @escaping (ConversationKey, _ nickname: String) async -> Bool = { _, _ in false },
        isInFront: @escaping (ConversationKey) -> Bool
    ) {
        self.store = store
        self.preferences = preferences
        self.environment = environment
        self.isQuiet = isQuiet
        self.isInFront = isInFront
        self.mayAddressEverybody = mayAddressEverybody
    }

    public func run() async {
        let changes = store.changes()
        await readBeginning()
        for await change in changes { await apply(change) }
    }

    /// Messages that are already in the store are not new.
    func readBeginning() async {
        let conversations =
            (try? await store.read { store throws(StoreError) in try store.conversations() }) ?? []
        for conversation in conversations { latest[conversation.id] = conversation.lastMessage?.position }
        hasStarted = true
    }

    func apply(_ changes: StoreChanges) async {
        let concerned = changes.conversations.union(changes.messages.keys)
        guard !concerned.isEmpty else { return }
        let found = try? await store.read { store throws(StoreError) in
            var books: [AccountID: AddressBook] = [:]
            return try concerned.sorted().map { id throws(StoreError) in
                guard let conversation = try store.conversation(id) else { return Finding(id: id) }
                let account = conversation.key.account
                if books[account] == nil { books[account] = try AddressBook(store, of: account) }
                let book = books[account] ?? AddressBook()
                var messages: [StoredMessage] = []
                for message in (changes.messages[id] ?? []).sorted() {
                    if let message = try store.message(message) { messages.append(message) }
                }
                return Finding(
                    id: id, conversation: conversation, messages: messages, title: book.title(of: conversation.key),
                    authors: messages.map { book.author($0.sender, in: conversation.key) },
                    names: Self.names(for: conversation.key, book), readPosition: try store.readPosition(in: id))
            }
        }
        for finding in found ?? [] { decide(finding, callers: await callers(in: finding)) }
    }

    /// Those messages of a room with which a moderator addresses everybody. The room is asked only about these words.
    private func callers(in finding: Finding) async -> Set<MessageID> {
        guard let key = finding.conversation?.key, key.kind == .room else { return [] }
        var callers: Set<MessageID> = []
        for message in finding.messages
        where !message.isOutgoing && EverybodyMention.first(in: message.text.body) != nil {
            guard let nickname = message.sender.resource, await mayAddressEverybody(key, nickname) else { continue }
            callers.insert(message.id)
        }
        return callers
    }

    /// A consistent snapshot of one conversation.
    private struct Finding: Sendable {
        let id: ConversationID
        var conversation: Conversation?
        var messages: [StoredMessage] = []
        var title = ""
        var authors: [String] = []
        var names: [String] = []
        var readPosition: TimelinePosition?
    }

    private func decide(_ finding: Finding, callers: Set<MessageID>) {
        guard let conversation = finding.conversation else { return forget(finding.id) }
        if conversation.unreadCount == 0 { forgetAnnouncement(finding.id) }
        let before = latest[finding.id]
        let policy = NotificationPolicy(showsText: preferences.values.showsTextInNotifications)
        var news: MessageNotification?
        for (message, author) in zip(finding.messages, finding.authors) {
            let isCopy = isAwaitedCopy(message)
            if let before, message.position <= before, !isCopy { continue }
            latest[finding.id] = max(latest[finding.id] ?? message.position, message.position)
            let situation = NotificationPolicy.Situation(
                now: environment.now(), isInFront: isInFront(conversation.key),
                isQuiet: isQuiet() || !preferences.values.showsNotifications)
            let isRead = finding.readPosition.map { message.position <= $0 } ?? false
            let decision = policy.decide(
                message, settings: conversation.settings, title: finding.title, senderName: author,
                kind: conversation.key.kind, names: finding.names,
                mayAddressEverybody: callers.contains(message.id), isRead: isRead, in: situation)
            if case .announce(let notification) = decision { news = notification }
        }
        guard let news else { return }
        announced.insert(finding.id)
        announce(news, conversation.key)
    }

    /// Whether a message that could not be decrypted is readable now; remembers those that can become so.
    private func isAwaitedCopy(_ message: StoredMessage) -> Bool {
        if case .notOpened(_, ProtectionError.Code.requested.rawValue) = message.protection {
            if awaited.count < Self.awaitedLimit { awaited.insert(message.id) }
            return false
        }
        return awaited.remove(message.id) != nil && !message.protection.isNotOpened
    }

    private func forget(_ id: ConversationID) {
        latest[id] = nil
        forgetAnnouncement(id)
    }

    private func forgetAnnouncement(_ id: ConversationID) {
        if announced.remove(id) != nil { withdraw(id) }
    }

    /// The user's names in the conversation.
    private nonisolated static func names(for key: ConversationKey, _ book: AddressBook) -> [String] {
        let account = book.accounts[key.account]
        return [book.ownNickname(in: key), account?.displayName, account?.address.unescapedLocal]
            .compactMap { $0 }
    }
}
