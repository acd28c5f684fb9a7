/// Where a page lies in an archive, and how many messages it has at most.
///
/// The number is held between 1 and ``maximumPageSize``; servers may send fewer (XEP-0313 §4.3.1).
public enum ArchivePosition: Sendable, Hashable {
    /// The last messages.
    case newest(Int)
    /// The first messages.
    case oldest(Int)
    /// The messages right before this one.
    case before(String, Int)
    /// The messages right after this one.
    case after(String, Int)

    /// How many messages a page may have. A page is kept in memory as a whole, and a message may be some 256 KiB; servers
    /// usually allow 50 to 250.
    public static let maximumPageSize = 250

    /// Whether pages that follow each other go back in time.
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

    /// The message that the page lies next to.
    var cursor: String? {
        switch self {
        case .newest, .oldest: nil
        case .before(let id, _), .after(let id, _): id
        }
    }

    /// The position of the page that follows in the same direction; `nil` if the page says where nothing follows.
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
