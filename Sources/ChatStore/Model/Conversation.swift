/// A conversation as the list of conversations shows it.
public struct Conversation: Hashable, Sendable, Identifiable {
    public let id: ConversationID
    public let key: ConversationKey
    public var settings: ConversationSettings
    public let lastMessage: StoredMessage?
    /// How many messages of others stand after the read position, counted up to ``unreadLimit``.
    public let unreadCount: Int
    public let draft: Draft?
    /// A person wants to come back to it, though all was read: shown as unread until it is read again. Other devices do not
    /// learn of it.
    public let isMarkedUnread: Bool

    /// There is something to show: a message, a draft, or what a person has chosen for it. What only waits for a
    /// message that is not here, such as a reaction of a stranger, is nothing to show. A room is shown while it is known.
    public var isListed: Bool {
        lastMessage != nil || draft != nil || key.kind == .room || settings != ConversationSettings() || isMarkedUnread
    }

    /// Nobody reads a larger number, and counting stops there.
    public static let unreadLimit = 1000

    package init(
        id: ConversationID, key: ConversationKey, settings: ConversationSettings, lastMessage: StoredMessage?,
        unreadCount: Int, draft: Draft?, isMarkedUnread: Bool
    ) {
        self.id = id
        self.key = key
        self.settings = settings
        self.lastMessage = lastMessage
        self.unreadCount = unreadCount
        self.draft = draft
        self.isMarkedUnread = isMarkedUnread
    }
}

/// What a person has chosen for a conversation.
public struct ConversationSettings: Hashable, Sendable, Codable {
    /// For what a notification is shown.
    public enum Notifications: Int, Sendable, Codable {
        case all = 0
        case mentions = 1
        case none = 2
    }

    public var isPinned: Bool
    public var isArchived: Bool
    public var notifications: Notifications
    /// Silent until then.
    public var mutedUntil: MessageTime?

    public init(
        isPinned: Bool = false, isArchived: Bool = false, notifications: Notifications = .all,
        mutedUntil: MessageTime? = nil
    ) {
        self.isPinned = isPinned
        self.isArchived = isArchived
        self.notifications = notifications
        self.mutedUntil = mutedUntil
    }
}

/// What is written and not yet sent.
public struct Draft: Hashable, Sendable, Codable {
    public var body: String
    /// The message that it will answer.
    public var reply: MessageID?
    /// The message that it will correct.
    public var edits: MessageID?
    public var time: MessageTime

    public init(body: String, reply: MessageID? = nil, edits: MessageID? = nil, time: MessageTime) {
        self.body = body
        self.reply = reply
        self.edits = edits
        self.time = time
    }
}
