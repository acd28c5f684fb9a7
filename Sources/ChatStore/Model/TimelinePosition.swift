/// Where a message stands in the timeline of its conversation: by time, then by the archive's order within that time,
/// then by its number.
///
/// It is also the anchor for paging: a page begins before or after a position, whether or not a message stands there.
public struct TimelinePosition: Hashable, Comparable, Sendable, Codable {
    public let time: MessageTime
    /// The order among messages of the same time; archives stamp to the second as often as not.
    public let rank: Int64
    public let id: MessageID

    public init(time: MessageTime, rank: Int64 = 0, id: MessageID) {
        self.time = time
        self.rank = rank
        self.id = id
    }

    /// Before every message of that time and after every earlier one: the anchor for a jump to a date.
    public static func start(of time: MessageTime) -> TimelinePosition {
        TimelinePosition(time: time, rank: .min, id: MessageID(rawValue: .min))
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.time, left.rank, left.id) < (right.time, right.rank, right.id)
    }
}
