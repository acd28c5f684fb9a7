public import ChatStore

/// One line of the list of conversations.
public struct ConversationRow: Identifiable, Hashable, Sendable {
    public enum Section: Int, Sendable, Hashable, Comparable, CaseIterable {
        case pinned, others, archived

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    public let id: ConversationID
    public let key: ConversationKey
    public internal(set) var section: Section
    public internal(set) var title: String
    /// The last message; `nil` where nothing was said yet.
    public internal(set) var preview: MessagePreview?
    /// When that was sent.
    public internal(set) var time: MessageTime?
    /// Counted up to `Conversation.unreadLimit`.
    public internal(set) var unreadCount: Int
    /// A person wants to come back to it, whatever was read.
    public internal(set) var isMarkedUnread: Bool
    /// The picture of the other side, for an ``AvatarLoader``.
    public internal(set) var avatarHash: String?
    /// What is written and not sent, in one line.
    public internal(set) var draft: String?
    public internal(set) var notifications: ConversationSettings.Notifications
    /// Silent until then, if that is yet to come.
    public internal(set) var mutedUntil: MessageTime?
    /// Nothing is heard of it: for good, or until ``mutedUntil``.
    public internal(set) var isMuted: Bool
    /// What those are called who are writing now.
    public internal(set) var writing: [String]

    /// By what it stands where it stands in its section.
    var position: TimelinePosition?

    public var isPinned: Bool { section == .pinned }
    public var isArchived: Bool { section == .archived }
    /// Shown as something to be read.
    public var isUnread: Bool { unreadCount > 0 || isMarkedUnread }

    init(_ conversation: Conversation, book: AddressBook, writing: [String], now: MessageTime) {
        id = conversation.id
        key = conversation.key
        let settings = conversation.settings
        section = settings.isArchived ? .archived : settings.isPinned ? .pinned : .others
        title = book.title(of: key)
        preview = conversation.lastMessage.map { [key] message in
            MessagePreview(message, senderName: book.author(message.sender, in: key))
        }
        time = conversation.lastMessage?.time
        position = conversation.lastMessage?.position
        unreadCount = conversation.unreadCount
        isMarkedUnread = conversation.isMarkedUnread
        avatarHash = book.avatarHash(of: key.address, account: key.account)
        draft = conversation.draft.map { MessagePreview.line($0.body) }
        if draft?.isEmpty ?? false { draft = nil }
        notifications = settings.notifications
        mutedUntil = settings.mutedUntil.flatMap { $0 > now ? $0 : nil }
        isMuted = mutedUntil != nil || settings.notifications == .none
        self.writing = writing
    }

    /// Pinned before others before archived; in each the last message first, what is without one at the end.
    public static func isBefore(_ left: ConversationRow, _ right: ConversationRow) -> Bool {
        if left.section != right.section { return left.section < right.section }
        switch (left.position, right.position) {
        case (let left?, let right?): return left > right
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil): return left.id > right.id
        }
    }
}
