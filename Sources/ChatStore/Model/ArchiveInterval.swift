/// A stretch of an archive that is here without a hole: proved by pages that border on each other, never by what came
/// live.
public struct ArchiveInterval: Hashable, Sendable, Codable {
    /// Nothing in the archive is older than `first`.
    public internal(set) var reachesStart: Bool
    public internal(set) var first: StoredArchivePosition
    public internal(set) var last: StoredArchivePosition

    public init(reachesStart: Bool, first: StoredArchivePosition, last: StoredArchivePosition) {
        self.reachesStart = reachesStart
        self.first = first
        self.last = last
    }
}

/// One item's place in its archive.
public struct StoredArchivePosition: Hashable, Sendable, Codable {
    /// The archive's name for the item.
    public let id: String
    public let time: MessageTime
    /// The order among items of the same time, as in ``TimelinePosition``.
    public let rank: Int64

    public init(id: String, time: MessageTime, rank: Int64 = 0) {
        self.id = id
        self.time = time
        self.rank = rank
    }

    func isBefore(_ other: StoredArchivePosition) -> Bool { (time, rank) < (other.time, other.rank) }
}

/// A stretch of an archive of which nothing is known. What is newer than the newest interval is not a gap but the future.
public struct ArchiveGap: Hashable, Sendable {
    /// The last item known before it; `nil` where the gap reaches back to the archive's start.
    public let after: StoredArchivePosition?
    /// The first item known after it.
    public let before: StoredArchivePosition

    public init(after: StoredArchivePosition?, before: StoredArchivePosition) {
        self.after = after
        self.before = before
    }
}
