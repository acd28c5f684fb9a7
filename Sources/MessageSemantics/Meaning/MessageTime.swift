/// A point in time in milliseconds since 1970-01-01T00:00:00Z, the precision with which messages are stored.
public struct MessageTime: Hashable, Comparable, Sendable, Codable {
    public let millisecondsSince1970: Int64

    public init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

    public static func < (left: Self, right: Self) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// The time that is this many milliseconds later.
    public func advanced(by milliseconds: Int64) -> MessageTime {
        MessageTime(millisecondsSince1970: millisecondsSince1970 + milliseconds)
    }
}

extension ClosedRange<MessageTime> {
    /// From the first to the last time that can be stored.
    public static var allTime: Self {
        MessageTime(millisecondsSince1970: .min)...MessageTime(millisecondsSince1970: .max)
    }
}

/// How reliable the time of a message is; a better source replaces a worse one, never the reverse.
public enum TimeSource: Int, Sendable, Codable, Comparable {
    /// The clock of this device when the message was written or received.
    case clock = 0
    /// The timestamp that the server put on a delayed message (XEP-0203 §3), or the sender on a message that was sent
    /// again.
    case delay = 1
    /// The timestamp in the archive of the conversation (XEP-0313 §4.1).
    case archive = 2

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
