public import MessageSemantics
public import XMPPAddress

/// A conversation as the list shows it.
public struct Conversation: Hashable, Sendable, Identifiable {
    public let id: ConversationID
    public let key: ConversationKey
    public var settings: ConversationSettings
    public let lastMessage: StoredMessage?
    /// The number of messages of others after the read position, at most ``unreadLimit``.
    public let unreadCount: Int
    public let draft: Draft?
    /// Whether the user marked the conversation as unread; it is shown as unread until it is read again. Other devices
    /// do not get this mark.
    public let isMarkedUnread: Bool
    /// When the user joined the room, or began to write to the contact; it orders conversations without a message. `nil` for
    /// those that the user has not begun.
    public let begun: MessageTime?

    /// Whether the list shows the conversation: if it has a message, a draft or a setting, is a room, or was begun by the user.
    /// Rows that only wait for a message, such as a stranger's reaction, do not count.
    public var isListed: Bool {
        lastMessage != nil || draft != nil || key.kind == .room || settings != ConversationSettings() || isMarkedUnread
            || begun != nil
    }

    /// Where it stands in a list of conversations: by its last message, else by its beginning; `nil` for the end.
    package var place: TimelinePosition? { lastMessage?.position ?? begun.map { .start(of: $0) } }

    /// The limit of the unread count; larger numbers are not useful.
    public static let unreadLimit = 1000

    package init(
        id: ConversationID, key: ConversationKey, settings: ConversationSettings, lastMessage: StoredMessage?,
        unreadCount: Int, draft: Draft?, isMarkedUnread: Bool, begun: MessageTime?
    ) {
        self.id = id
        self.key = key
        self.settings = settings
        self.lastMessage = lastMessage
        self.unreadCount = unreadCount
        self.draft = draft
        self.isMarkedUnread = isMarkedUnread
        self.begun = begun
    }
}

/// The user's settings of a conversation.
public struct ConversationSettings: Hashable, Sendable, Codable {
    /// Which messages cause a notification.
    public enum Notifications: Int, Sendable, Codable {
        case all = 0
        case mentions = 1
        case none = 2
    }

    public var isPinned: Bool {
        didSet { if !isPinned { pinRank = nil } }
    }
    /// The place among the pinned conversations, from 0; `nil` for one that was pinned before places were stored.
    public var pinRank: Int?
    public var isArchived: Bool
    public var notifications: Notifications
    /// No notifications before this time.
    public var mutedUntil: MessageTime?
    /// Whether ``notifications`` was chosen here and could not be shared with the user's other devices yet.
    public var isUnshared = false

    /// What was not shared is not exported either.
    private enum CodingKeys: CodingKey {
        case isPinned, pinRank, isArchived, notifications, mutedUntil
    }

    public init(
        isPinned: Bool = false, pinRank: Int? = nil, isArchived: Bool = false, notifications: Notifications = .all,
        mutedUntil: MessageTime? = nil
    ) {
        self.isPinned = isPinned
        self.pinRank = isPinned ? pinRank : nil
        self.isArchived = isArchived
        self.notifications = notifications
        self.mutedUntil = mutedUntil
    }
}

/// A text that was not sent yet.
public struct Draft: Hashable, Sendable, Codable {
    public var body: String
    /// The message that it will reply to.
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

/// Identifies a conversation in its store.
public struct ConversationID: Hashable, Comparable, Sendable, Codable, RawRepresentable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Identifies a conversation by its account, address and kind.
public struct ConversationKey: Hashable, Sendable, Codable {
    public typealias Kind = ConversationAddress.Kind

    public let account: AccountID
    public let address: JID
    public let kind: Kind

    /// - Parameter address: for kinds that use bare addresses, the resource is removed.
    public init(account: AccountID, address: JID, kind: Kind) {
        self.init(account: account, ConversationAddress(address, kind: kind))
    }

    public init(account: AccountID, _ conversation: ConversationAddress) {
        self.account = account
        address = conversation.address
        kind = conversation.kind
    }

    /// The conversation without its account.
    public var conversation: ConversationAddress { ConversationAddress(address, kind: kind) }
}

extension ConversationSettings {
    /// Whether a pinned conversation stands before another one because of its place; `nil` if the last message decides.
    package static func isPinnedBefore(_ left: Int?, _ right: Int?) -> Bool? {
        switch (left, right) {
        case (let left?, let right?): left == right ? nil : left < right
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): nil
        }
    }
}
