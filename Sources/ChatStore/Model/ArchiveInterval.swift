/// A part of an archive that is stored without gaps. Only adjacent pages prove that, never live messages.
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

    public init(after: StoredArchivePosition?, before: StoredArchivePosition) {
        self.after = after
        self.before = before
    }
}
