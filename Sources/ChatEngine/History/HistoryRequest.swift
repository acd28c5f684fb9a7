public import ChatStore
internal import MessageHistory
public import XMPPAddress
public import XMPPStream

/// A page to be requested from an archive (XEP-0313 §4).
public struct HistoryRequest: Hashable, Sendable {
    /// The purpose of the page.
    public enum Purpose: Hashable, Sendable {
        /// To check for new messages.
        case newest
        /// The user has scrolled to the oldest stored message.
        case older
        /// To fill a gap: messages that were missed.
        case gap
        /// To read what is older than anything that was ever read.
        case past
    }

    /// The archive: the account's bare address, or a room's.
    public let archive: JID
    /// Only messages exchanged with this address.
    public let with: JID?
    public let query: StoredArchiveQuery
    public let purpose: Purpose
    /// The maximum number of items.
    public let limit: Int

    public init(archive: JID, with: JID? = nil, query: StoredArchiveQuery, purpose: Purpose, limit: Int) {
        self.archive = archive
        self.with = with
        self.query = query
        self.purpose = purpose
        self.limit = limit
    }
}

extension HistoryRequest {
    /// The id after which there are newer messages, if they are read forward.
    func continuation(after page: MessageHistory.ArchivePage) -> String? {
        guard purpose == .newest, query.direction == .forward, !page.isComplete, let last = page.messages.last?.id,
            last != query.anchor
        else { return nil }
        return last
    }
}

extension StoredArchiveQuery {
    /// The condition and the position that select a page of an archive.
    func selection(with peer: JID?, _ count: Int) -> (filter: ArchiveFilter, page: ArchivePosition) {
        switch direction {
        case .backward:
            (ArchiveFilter(with: peer, afterID: limit), anchor.map { .before($0, count) } ?? .newest(count))
        case .forward:
            (ArchiveFilter(with: peer, beforeID: limit), anchor.map { .after($0, count) } ?? .oldest(count))
        }
    }
}

/// The result of requesting older messages from an archive.
public enum OlderHistory: Hashable, Sendable {
    /// A page is in the store; it may contain nothing of this conversation.
    case arrived
    /// There are no older messages.
    case nothingMore
    /// The archive cannot be reached now.
    case notNow
}

/// The search of an archive for older messages of a conversation, page by page.
struct OlderSearch {
    /// Pages in a row without a message of the conversation, after which the caller must ask again: the archive of a room
    /// may be anybody's, and have no end.
    static let emptyPageLimit = 20

    let request: HistoryRequest
    /// The archive id of the oldest stored message of the conversation.
    let oldest: String?
    /// The pages that were requested while it was the oldest one.
    var pages: Int

    init(_ request: HistoryRequest, oldest: String?, after last: OlderSearch?) {
        self.request = request
        self.oldest = oldest
        pages = last.map { $0.oldest == oldest ? $0.pages + 1 : 1 } ?? 1
    }

    /// The stored part of the archive before which the search goes on; `nil` if that is the oldest message itself.
    static func interval(
        of stored: [ArchiveInterval], around oldest: StoredArchivePosition?, after last: OlderSearch?
    ) -> ArchiveInterval? {
        guard let oldest else { return stored.last }
        if let interval = stored.first(where: { $0.contains(oldest) }) { return interval }
        // What came live has no known place in the archive, so the pages before it are not joined with it.
        guard last?.oldest == oldest.id else { return nil }
        return stored.last { $0.first.time <= oldest.time } ?? stored.last
    }
}

/// Why an archive returned no page.
public enum HistoryFailure: Error, Hashable, Sendable {
    /// The item that the page should start at is unknown (`item-not-found`): the archive was cleared, or items expire.
    case cursorLost
    /// The archive refuses this account, or there is none.
    case refused
    /// It may succeed later.
    case temporary
}

/// How much history is synchronised automatically, and in which portions.
public struct HistoryPolicy: Hashable, Sendable {
    /// In which order messages that were missed are fetched.
    public enum Order: Hashable, Sendable {
        /// What a person looks at first comes first.
        case newestFirst
        /// As they were sent, for a program that handles each message once.
        case oldestFirst
    }

    /// For messages that were missed; the part before the oldest stored one always comes last, newest first.
    public var order = Order.newestFirst
    /// Items per page: one or two screens, so that the first page arrives soon; servers limit it to 100 or less anyway.
    public var pageSize = 50
    /// Pages per archive and session before the oldest stored message: a thousand messages. The rest is loaded by
    /// scrolling.
    public var gapPages = 20
    /// Pages per session that fill gaps between stored messages of the account's archive: what was missed. Programs
    /// that read events get nothing else of it, so all of it is fetched, up to 100,000 messages from a server that
    /// never ends.
    public var missedPages = 2000
    /// The same for each room, whose server may be anybody's: 10,000 messages.
    public var missedRoomPages = 200
    /// Whether messages before the oldest stored one count as a gap: each session then loads some older pages, until
    /// everything can be searched.
    public var reachesBack = true
    /// The backoff after temporary failures of an archive.
    public var backoff = Backoff(first: .seconds(5), longest: .seconds(300))

    public init() {}

    public static let standard = HistoryPolicy()
}
