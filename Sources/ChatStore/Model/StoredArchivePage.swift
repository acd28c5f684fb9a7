public import XMPPAddress

/// One answer of an archive, with the question that it answers (XEP-0313 §4, XEP-0059).
public struct StoredArchivePage: Sendable {
    /// The archive: the account's bare address, or the room's.
    public var archive: JID
    /// The question's `with`, which makes it a statement about that peer's messages only.
    public var with: JID?
    public var query: StoredArchiveQuery
    /// Oldest first, all of them, also those that are no messages to show: they stand between others.
    public var items: [ArchiveItem]
    /// `<fin complete='true'/>`: in the direction of the query there is nothing more.
    public var isComplete: Bool

    public init(archive: JID, with: JID? = nil, query: StoredArchiveQuery, items: [ArchiveItem], isComplete: Bool) {
        self.archive = archive.bare
        self.with = with?.bare
        self.query = query
        self.items = items
        self.isComplete = isComplete
    }
}

/// What an archive was asked for.
public struct StoredArchiveQuery: Hashable, Sendable {
    public enum Direction: Sendable {
        /// The newest messages before the anchor (RSM `<before/>`).
        case backward
        /// The oldest messages after the anchor (RSM `<after/>`).
        case forward
    }

    public var direction: Direction
    /// The archive's name of the message that the page borders on; `nil` begins at the end of what is asked for.
    public var anchor: String?
    /// The other end of what is asked for, by the archive's name (`before-id` or `after-id` of `#extended`): where a
    /// complete answer stops. A gap is closed with its two ends as anchor and limit.
    public var limit: String?
    /// The question was narrowed by `start` or `end`, so that its completeness says nothing about what lies outside.
    public var isLimitedByTime: Bool

    public init(_ direction: Direction, anchor: String? = nil, limit: String? = nil, isLimitedByTime: Bool = false) {
        self.direction = direction
        self.anchor = anchor
        self.limit = limit
        self.isLimitedByTime = isLimitedByTime
    }
}

/// One stanza in an archive.
public struct ArchiveItem: Sendable {
    /// The archive's name for it (`<result id=''/>`).
    public var id: String
    /// The archive's stamp.
    public var time: MessageTime
    /// What it means, if it means something to this store.
    public var content: Content?

    public enum Content: Sendable {
        /// A message, correction, retraction or reaction. The store adds the archive's name and stamp itself.
        case message(MessageCopy, in: ConversationKey)
        /// A receipt, marker or error about a message.
        case report(StateReport, in: ConversationKey)
    }

    public init(id: String, time: MessageTime, content: Content? = nil) {
        self.id = id
        self.time = time
        self.content = content
    }
}
