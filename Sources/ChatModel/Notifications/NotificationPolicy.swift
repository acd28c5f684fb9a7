public import ChatStore

/// Decides whether a message is announced. It knows nothing of a screen: everything that counts is given to it.
public struct NotificationPolicy: Sendable, Hashable {
    /// What counts besides the message and the settings of its conversation.
    public struct Situation: Sendable, Hashable {
        public var now: MessageTime
        /// The conversation is in front of the person, who is looking.
        public var isInFront: Bool
        /// Another device of this person was used a moment ago, and shows the message already.
        public var isOtherDeviceActive: Bool
        /// The person does not want to be disturbed at all.
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

    /// Why a message is not announced.
    public enum Silence: Sendable, Hashable {
        /// This person wrote it.
        case own
        /// It was read, here or on another device.
        case read
        case retracted
        /// It came out of an archive and is old.
        case old
        case inFront
        case otherDevice
        case quiet
        case muted
        case noMention
    }

    public enum Decision: Sendable, Hashable {
        case announce(MessageNotification)
        case stay(Silence)
    }

    /// What came later than this after it was written is history, not news.
    public static let newsTime: Int64 = 24 * 3600 * 1000

    /// Whether the text of a message may be shown where others can look.
    public var showsText: Bool

    public init(showsText: Bool = true) {
        self.showsText = showsText
    }

    /// - Parameters:
    ///   - title: the conversation's name.
    ///   - senderName: what the author is called.
    ///   - names: what this person is called in the conversation: nickname, name, address.
    ///   - isRead: it stands before the read position.
    public func decide(
        _ message: StoredMessage, settings: ConversationSettings, title: String, senderName: String,
        kind: ConversationKey.Kind, names: [String], isRead: Bool = false, in situation: Situation
    ) -> Decision {
        if message.isOutgoing { return .stay(.own) }
        if message.isRetracted { return .stay(.retracted) }
        if isRead { return .stay(.read) }
        let age = situation.now.millisecondsSince1970 - message.time.millisecondsSince1970
        if age > Self.newsTime { return .stay(.old) }
        if situation.isInFront { return .stay(.inFront) }
        if situation.isOtherDeviceActive { return .stay(.otherDevice) }
        if situation.isQuiet { return .stay(.quiet) }
        // The settings are a person's last word: a silence for a time holds for mentions, too.
        if settings.notifications == .none { return .stay(.muted) }
        if let until = settings.mutedUntil, until > situation.now { return .stay(.muted) }
        let isMention = MentionRule.mentions(names, in: message.text.body) { FoldedName($0).text }
        if settings.notifications == .mentions, !isMention { return .stay(.noMention) }
        let preview = MessagePreview(message, senderName: senderName)
        return .announce(
            MessageNotification(
                conversation: message.conversation, message: message.id, title: title,
                senderName: kind == .room ? senderName : nil, preview: showsText ? preview : nil,
                isMention: isMention && kind != .direct))
    }
}

/// What is announced.
public struct MessageNotification: Sendable, Hashable {
    public let conversation: ConversationID
    public let message: MessageID
    /// The conversation's name.
    public let title: String
    /// Who wrote it, where the title does not say so.
    public let senderName: String?
    /// What was written; `nil` where texts are not to be shown.
    public let preview: MessagePreview?
    /// This person was named in it.
    public let isMention: Bool
}
