public import ChatStore
internal import MessageFeatures

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

/// A message in one line: for the list of conversations, quotations and notifications.
public struct MessagePreview: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case text
        /// What the sender does (XEP-0245); show the name in front.
        case action
        case picture, voice, video, file
        /// It was taken back; there is no text.
        case retracted
    }

    public var kind: Kind
    /// The text without line breaks and signs of styling; the name of a file where there is no text. Names of
    /// pictures are those of cameras and programs and say nothing.
    public var text: String
    /// What the sender is called; for one's own messages too.
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

    /// So many characters are shown at most; no line shows more.
    static let lengthLimit = 200

    init(_ message: StoredMessage, senderName: String) {
        self.init(
            kind: Self.kind(of: message), text: "", senderName: senderName, isOutgoing: message.isOutgoing,
            state: message.state)
        switch kind {
        case .retracted: break
        case .action: text = Self.line(message.text.body, without: 4)
        case .text: text = Self.line(message.text.body)
        case .picture, .voice, .video: text = Self.line(message.text.body)
        case .file:
            text = Self.line(message.text.body)
            if text.isEmpty { text = Self.joined(TextFold(message.text.attachments.first?.name ?? "", .line).text) }
        }
    }

    private static func kind(of message: StoredMessage) -> Kind {
        if message.isRetracted { return .retracted }
        switch message.text.attachments.first?.kind {
        case .picture: return .picture
        case .voice: return .voice
        case .video: return .video
        case .file: return .file
        case nil: return message.text.body.utf8.starts(with: "/me ".utf8) ? .action : .text
        }
    }

    /// A text in one line, without the directives of XEP-0393, and without what it quotes if it says anything itself.
    ///
    /// - Parameter start: so many code points at the beginning are not part of it.
    static func line(_ text: String, without start: Int = 0) -> String {
        // A preview of a long text must not cost what the text costs.
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
