public import MessageFeatures
public import XMPPAddress
public import XMPPStanzas

/// A message in an archive.
public struct ArchivedMessage: Sendable, Hashable {
    /// The address of the archive: the account or a room.
    public var archive: JID
    /// The id in that archive, equal to the `stanza-id` of the live message.
    public var id: String
    /// When the server of the archive received it.
    public var stamp: Timestamp?
    /// `nil` if the archive has removed the message, or if it cannot be parsed; the item remains.
    public var message: Message?

    public init(archive: JID, id: String, stamp: Timestamp?, message: Message?) {
        self.archive = archive
        self.id = id
        self.stamp = stamp
        self.message = message
    }
}

/// A page of an archive: consecutive messages.
public struct ArchivePage: Sendable, Hashable {
    /// Oldest first, or newest first if a flipped page was requested.
    public var messages: [ArchivedMessage]
    /// The id of the oldest message of the page, with which the previous page is requested.
    public var oldestID: String?
    /// The id of the newest message of the page, with which the next page is requested.
    public var newestID: String?
    /// Whether nothing more matches in the direction of the page: before it for ``ArchivePosition/newest(_:)`` and
    /// ``ArchivePosition/before(_:_:)``, after it for the others.
    public var isComplete: Bool
    /// `false` if the archive may respond differently later, so that the page must not be cached.
    public var isStable: Bool
    /// The number of messages that exceed the limits of the parser; each has an item in ``messages`` without content.
    public var unreadable = 0
    /// The total number of matching messages, if the archive provides it; possibly an estimate.
    public var count: Int?

    public init(
        messages: [ArchivedMessage], oldestID: String?, newestID: String?, isComplete: Bool, isStable: Bool = true,
        count: Int? = nil
    ) {
        self.messages = messages
        self.oldestID = oldestID
        self.newestID = newestID
        self.isComplete = isComplete
        self.isStable = isStable
        self.count = count
    }

    /// Combines the results and the end of a query.
    init(_ messages: [ArchivedMessage], _ answer: ArchiveAnswer, isFlipped: Bool) {
        let oldest = isFlipped ? messages.last : messages.first
        let newest = isFlipped ? messages.first : messages.last
        // The ids stated by the archive are used: it may have returned fewer messages than it examined. Servers differ
        // in which end of a flipped page they call the first.
        let isSwapped = isFlipped && answer.part.first == newest?.id && answer.part.last == oldest?.id
        self.init(
            messages: messages, oldestID: (isSwapped ? answer.part.last : answer.part.first) ?? oldest?.id,
            newestID: (isSwapped ? answer.part.first : answer.part.last) ?? newest?.id,
            isComplete: answer.isComplete, isStable: answer.isStable, count: answer.part.count)
    }
}

/// Consecutive pages of an archive, requested one at a time as they are consumed.
public struct ArchivePages: AsyncSequence, Sendable {
    public typealias Element = ArchivePage
    public typealias Failure = ArchiveError

    let archive: MessageArchive
    let address: JID?
    let filter: ArchiveFilter
    let start: ArchivePosition

    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pages: ArchivePages
        private var position: ArchivePosition?

        init(_ pages: ArchivePages) {
            self.pages = pages
            position = pages.start
        }

        /// The next page, possibly empty if it is the last; `nil` at the end.
        ///
        /// - Throws: ``ArchiveError``. Afterwards `next()` tries the same page again.
        public mutating func next() async throws(ArchiveError) -> ArchivePage? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ArchiveError) -> ArchivePage? {
            guard let position else { return nil }
            let page = try await pages.archive.page(in: pages.address, filter: pages.filter, page: position)
            let next = position.next(after: page)
            // Otherwise an archive that makes no progress would be queried endlessly.
            if let next, next.cursor == position.cursor { throw .circle }
            self.position = next
            return page
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// The position of a page in an archive, and its maximum number of messages.
///
/// The number is limited to 1 through ``maximumPageSize``; servers may send fewer (XEP-0313 §4.3.1).
public enum ArchivePosition: Sendable, Hashable {
    /// The newest messages.
    case newest(Int)
    /// The oldest messages.
    case oldest(Int)
    /// The messages directly before this one.
    case before(String, Int)
    /// The messages directly after this one.
    case after(String, Int)

    /// In messages. A page is held in memory completely, and a message may have up to 256 KiB; servers usually allow 50
    /// to 250.
    public static let maximumPageSize = 250

    /// Whether consecutive pages go back in time.
    public var isBackward: Bool {
        switch self {
        case .newest, .before: true
        case .oldest, .after: false
        }
    }

    /// The size of the page.
    public var size: Int {
        switch self {
        case .newest(let size), .oldest(let size), .before(_, let size), .after(_, let size):
            min(max(size, 1), Self.maximumPageSize)
        }
    }

    /// The message next to the page.
    var cursor: String? {
        switch self {
        case .newest, .oldest: nil
        case .before(let id, _), .after(let id, _): id
        }
    }

    /// The position of the next page in the same direction; `nil` if the page is the last one.
    func next(after page: ArchivePage) -> ArchivePosition? {
        guard !page.isComplete, let id = isBackward ? page.oldestID : page.newestID else { return nil }
        return isBackward ? .before(id, size) : .after(id, size)
    }

    var request: ResultSetRequest {
        let position: ResultSetRequest.Position =
            switch self {
            case .newest: .last
            case .oldest: .first
            case .before(let id, _): .before(id)
            case .after(let id, _): .after(id)
            }
        return ResultSetRequest(position, maximum: size)
    }
}
