public import XMPPAddress

/// A part of an archive that is stored without gaps. Only adjacent pages prove that, never live messages.
///
/// An archive that had no items when it was read has ``empty``: everything that it has later is known to be missing.
public struct ArchiveInterval: Hashable, Sendable, Codable {
    /// Whether `first` is the oldest item of the archive.
    public internal(set) var reachesStart: Bool
    public internal(set) var first: StoredArchivePosition
    public internal(set) var last: StoredArchivePosition

    public init(reachesStart: Bool, first: StoredArchivePosition, last: StoredArchivePosition) {
        self.reachesStart = reachesStart
        self.first = first
        self.last = last
    }

    /// The interval of an archive that had no items. It contains none, and ends before every item.
    public static let empty: ArchiveInterval = {
        let start = StoredArchivePosition(id: "", time: MessageTime(millisecondsSince1970: .min), rank: .min)
        return ArchiveInterval(reachesStart: true, first: start, last: start)
    }()

    /// Whether an item is in the interval: it is one of its ends, or its time is between theirs.
    public func contains(_ position: StoredArchivePosition) -> Bool {
        position.id == first.id || position.id == last.id
            || (first.time <= position.time && position.time <= last.time)
    }
}

/// The position of an item in its archive.
public struct StoredArchivePosition: Hashable, Sendable, Codable {
    /// The archive id of the item.
    public let id: String
    public let time: MessageTime
    /// The order among items with the same time, as in ``TimelinePosition``.
    public let rank: Int64

    public init(id: String, time: MessageTime, rank: Int64 = 0) {
        self.id = id
        self.time = time
        self.rank = rank
    }

    func isBefore(_ other: StoredArchivePosition) -> Bool { (time, rank) < (other.time, other.rank) }
}

/// A part of an archive that is not known. Items after the newest interval are not a gap.
public struct ArchiveGap: Hashable, Sendable {
    /// The last known item before the gap; `nil` if the gap begins at the start of the archive.
    public let after: StoredArchivePosition?
    /// The first known item after the gap.
    public let before: StoredArchivePosition
    /// Whether the gap came after the archive was read for the first time. Otherwise its items are older than what was ever read.
    public let isMissed: Bool

    /// - Parameter followsEmpty: the gap begins at the start of an archive that had no items when it was read.
    public init(after: StoredArchivePosition?, before: StoredArchivePosition, followsEmpty: Bool = false) {
        self.after = after
        self.before = before
        isMissed = after != nil || followsEmpty
    }
}

/// A page of an archive, with its query (XEP-0313 §4, XEP-0059).
public struct StoredArchivePage: Sendable {
    /// The archive: the account's bare address, or the room's.
    public var archive: JID
    /// The `with` of the query; the page then proves something about the messages of this peer only.
    public var with: JID?
    public var query: StoredArchiveQuery
    /// All items, oldest first, including those without a message to show, because they separate others.
    public var items: [ArchiveItem]
    /// `<fin complete='true'/>`: there are no more items in the direction of the query.
    public var isComplete: Bool

    public init(archive: JID, with: JID? = nil, query: StoredArchiveQuery, items: [ArchiveItem], isComplete: Bool) {
        self.archive = archive.bare
        self.with = with?.bare
        self.query = query
        self.items = items
        self.isComplete = isComplete
    }
}

/// A query of an archive.
public struct StoredArchiveQuery: Hashable, Sendable {
    public enum Direction: Sendable {
        /// The newest messages before the anchor (RSM `<before/>`).
        case backward
        /// The oldest messages after the anchor (RSM `<after/>`).
        case forward
    }

    public var direction: Direction
    /// The archive id of the item that the page is adjacent to; `nil` begins at the end of the queried range.
    public var anchor: String?
    /// The archive id of the other end of the queried range (`before-id` or `after-id` of `#extended`), where a
    /// complete page ends. A gap is filled by using its two ends as anchor and limit.
    public var limit: String?
    /// The query was limited by `start` or `end`, so a complete page proves nothing about items outside of this time.
    public var isLimitedByTime: Bool

    public init(_ direction: Direction, anchor: String? = nil, limit: String? = nil, isLimitedByTime: Bool = false) {
        self.direction = direction
        self.anchor = anchor
        self.limit = limit
        self.isLimitedByTime = isLimitedByTime
    }
}

/// One item of an archive.
public struct ArchiveItem: Sendable {
    /// The archive id (`<result id=''/>`).
    public var id: String
    /// The time stamp of the archive.
    public var time: MessageTime
    /// The content, if it is relevant for this store.
    public var content: Content?

    public enum Content: Sendable {
        /// A message, correction, retraction or reaction. The store adds the archive id and time stamp itself.
        case message(MessageCopy, in: ConversationKey)
        /// A receipt, marker or error for a message.
        case report(StateReport, in: ConversationKey)
    }

    public init(id: String, time: MessageTime, content: Content? = nil) {
        self.id = id
        self.time = time
        self.content = content
    }
}
