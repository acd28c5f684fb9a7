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
