public import ChatStore
public import MessageFeatures

/// A row of the conversation list.
public struct ConversationRow: Identifiable, Hashable, Sendable {
    public enum Section: Int, Sendable, Hashable, Comparable, CaseIterable {
        case pinned, others, archived

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    public let id: ConversationID
    public let key: ConversationKey
    public internal(set) var section: Section
    public internal(set) var title: String
    /// The last message; `nil` if there is none.
    public internal(set) var preview: MessagePreview?
    /// When the last message was sent; without one, when the user joined the room.
    public internal(set) var time: MessageTime?
    /// Counted up to `Conversation.unreadLimit`.
    public internal(set) var unreadCount: Int
    /// Marked as unread by the user.
    public internal(set) var isMarkedUnread: Bool
    /// The hash of the avatar, for an ``AvatarLoader``.
    public internal(set) var avatarHash: String?
    /// The draft in one line.
    public internal(set) var draft: String?
    public internal(set) var notifications: ConversationSettings.Notifications
    /// The end of a temporary mute, if in the future.
    public internal(set) var mutedUntil: MessageTime?
    /// Muted, permanently or until ``mutedUntil``.
    public internal(set) var isMuted: Bool
    /// The names of those who are typing.
    public internal(set) var writing: [String]

    /// The place among the pinned conversations; `nil` for one that was pinned before places were stored.
    var pinRank: Int?
    /// The sort key within its section.
    var position: TimelinePosition?

    public var isPinned: Bool { section == .pinned }
    public var isArchived: Bool { section == .archived }
    /// Whether the row is shown as unread.
    public var isUnread: Bool { unreadCount > 0 || isMarkedUnread }
    public var isRoom: Bool { key.kind == .room }
    /// The draft, where the row shows it: an unread message is more important.
    public var shownDraft: String? { unreadCount > 0 ? nil : draft }

    init(_ conversation: Conversation, book: AddressBook, writing: [String], now: MessageTime) {
        id = conversation.id
        key = conversation.key
        let settings = conversation.settings
        section = settings.isArchived ? .archived : settings.isPinned ? .pinned : .others
        pinRank = settings.pinRank
        title = book.title(of: key)
        preview = conversation.lastMessage.map { [key] message in
            MessagePreview(message, senderName: book.author(message.sender, in: key))
        }
        time = conversation.lastMessage?.time ?? (key.kind == .room ? conversation.begun : nil)
        position = conversation.place
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

    /// Pinned first, in the order that the user has chosen, and archived last; in each section by last message, or by the
    /// time at which the user has begun the conversation.
    public static func isBefore(_ left: ConversationRow, _ right: ConversationRow) -> Bool {
        if left.section != right.section { return left.section < right.section }
        if let isBefore = ConversationSettings.isPinnedBefore(left.pinRank, right.pinRank) { return isBefore }
        switch (left.position, right.position) {
        case (let left?, let right?): return left > right
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil): return left.id > right.id
        }
    }
}

/// A message in one line, for the conversation list, quotations and notifications.
public struct MessagePreview: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case text
        /// An action of the sender (XEP-0245), shown with the name in front.
        case action
        case file(Attachment.Kind)
        /// A retracted message, which has no text.
        case retracted
        /// It is encrypted and could not be opened here; there is no text.
        case notOpened
    }

    public var kind: Kind
    /// The text without line breaks and styling directives; the file name if there is no text, except for pictures,
    /// whose names mean nothing.
    public var text: String
    /// The sender's name, also for the user's own messages.
    public var senderName: String
    public var isOutgoing: Bool
    public var state: MessageState

    public init(kind: Kind, text: String, senderName: String, isOutgoing: Bool, state: MessageState) {
        self.kind = kind
        self.text = text
        self.senderName = senderName
        self.isOutgoing = isOutgoing
        self.state = state
    }

    /// In characters; no line shows more.
    static let lengthLimit = 200

    init(_ message: StoredMessage, senderName: String) {
        self.init(
            kind: Self.kind(of: message), text: "", senderName: senderName, isOutgoing: message.isOutgoing,
            state: message.state)
        switch kind {
        case .retracted, .notOpened: break
        case .action: text = Self.line(message.text.body, without: 4)
        case .text: text = Self.line(message.text.body)
        case .file(let kind):
            text = Self.line(message.text.body)
            if kind == .file, text.isEmpty {
                text = Self.joined(TextFold(message.text.attachments.first?.name ?? "", .line).text)
            }
        }
    }

    private static func kind(of message: StoredMessage) -> Kind {
        if message.isRetracted { return .retracted }
        if message.protection.isNotOpened { return .notOpened }
        if let file = message.text.attachments.first { return .file(file.kind) }
        return message.text.body.utf8.starts(with: "/me ".utf8) ? .action : .text
    }

    /// A text in one line, without the directives of XEP-0393, and without quotations if there is other text.
    ///
    /// - Parameter start: the number of code points at the beginning to skip.
    static func line(_ text: String, without start: Int = 0) -> String {
        // Bounds the work for a long text.
        let beginning = TextFold(text, .line).text.unicodeScalars.dropFirst(start)
        let blocks = StyledText(String(beginning)).blocks
        var own = ""
        append(blocks, quotations: false, to: &own)
        if !own.contains(where: { !$0.isWhitespace }) { append(blocks, quotations: true, to: &own) }
        return joined(own)
    }

    private static func append(_ blocks: [StyledText.Block], quotations: Bool, to text: inout String) {
        for block in blocks {
            switch block {
            case .line(let spans):
                for span in spans where !span.isDirective { text += span.text }
                text += " "
            case .preformatted(let block): text += block.text + " "
            case .quotation(let blocks): if quotations { append(blocks, quotations: true, to: &text) }
            }
        }
    }

    private static func joined(_ text: String) -> String {
        var line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if line.count > lengthLimit { line = String(line.prefix(lengthLimit)) + "…" }
        return line
    }
}
