public import ChatStore

/// Decides whether a message causes a notification. A pure function: everything it depends on is passed to it.
public struct NotificationPolicy: Sendable, Hashable {
    /// The input besides the message and the settings of its conversation.
    public struct Situation: Sendable, Hashable {
        public var now: MessageTime
        /// The user is looking at the conversation.
        public var isInFront: Bool
        /// Another device of the user was active a moment ago and shows the message already.
        public var isOtherDeviceActive: Bool
        /// The user has turned notifications off.
        public var isQuiet: Bool

        public init(
            now: MessageTime, isInFront: Bool = false, isOtherDeviceActive: Bool = false, isQuiet: Bool = false
        ) {
            self.now = now
            self.isInFront = isInFront
            self.isOtherDeviceActive = isOtherDeviceActive
            self.isQuiet = isQuiet
        }
    }

    /// Why a message causes no notification.
    public enum SuppressionReason: Sendable, Hashable {
        /// The user wrote it.
        case own
        /// It was read, here or on another device.
        case read
        case retracted
        /// It is an old message from an archive.
        case old
        case inFront
        case otherDevice
        case quiet
        case muted
        case noMention
    }

    public enum Decision: Sendable, Hashable {
        case announce(MessageNotification)
        case suppress(SuppressionReason)
    }

    /// In milliseconds: a message that arrives later than this after it was sent does not notify.
    public static let newsTime: Int64 = 24 * 3600 * 1000

    /// Whether a notification may show the text of the message.
    public var showsText: Bool

    public init(showsText: Bool = true) {
        self.showsText = showsText
    }

    /// - Parameters:
    ///   - title: the title of the conversation.
    ///   - senderName: the name of the author.
    ///   - names: the user's names in the conversation: nickname, display name, address.
    ///   - mayAddressEverybody: whether the author is a moderator of the room.
    ///   - isRead: whether it is before the read position.
    public func decide(
        _ message: StoredMessage, settings: ConversationSettings, title: String, senderName: String,
        kind: ConversationKey.Kind, names: [String], mayAddressEverybody: Bool = false, isRead: Bool = false,
        in situation: Situation
    ) -> Decision {
        if message.isOutgoing { return .suppress(.own) }
        if message.isRetracted { return .suppress(.retracted) }
        if isRead { return .suppress(.read) }
        let age = situation.now.millisecondsSince1970 - message.time.millisecondsSince1970
        if age > Self.newsTime { return .suppress(.old) }
        if situation.isInFront { return .suppress(.inFront) }
        if situation.isOtherDeviceActive { return .suppress(.otherDevice) }
        if situation.isQuiet { return .suppress(.quiet) }
        // The user's settings take precedence: a temporary mute applies to mentions, too.
        if settings.notifications == .none { return .suppress(.muted) }
        if let until = settings.mutedUntil, until > situation.now { return .suppress(.muted) }
        let isForEverybody =
            mayAddressEverybody && kind == .room && EverybodyMention.first(in: message.text.body) != nil
        let isMention =
            isForEverybody || MentionRule.mentions(names, in: message.text.body) { FoldedName($0).text }
        if settings.notifications == .mentions, !isMention { return .suppress(.noMention) }
        let preview = MessagePreview(message, senderName: senderName)
        return .announce(
            MessageNotification(
                conversation: message.conversation, message: message.id, title: title,
                senderName: kind == .room ? senderName : nil, preview: showsText ? preview : nil,
                isMention: isMention && kind != .direct, isForEverybody: isForEverybody))
    }
}

/// The content of a notification.
public struct MessageNotification: Sendable, Hashable {
    public let conversation: ConversationID
    public let message: MessageID
    /// The title of the conversation.
    public let title: String
    /// The author, unless the title is the author's name.
    public let senderName: String?
    /// The text; `nil` if texts are not shown.
    public let preview: MessagePreview?
    /// Whether the message mentions the user.
    public let isMention: Bool
    /// Whether it mentions the user because a moderator addresses everybody in the room.
    public let isForEverybody: Bool
}
