/// A moment as milliseconds since 1970-01-01T00:00:00Z, the precision in which messages are kept.
public struct MessageTime: Hashable, Comparable, Sendable, Codable {
    public let millisecondsSince1970: Int64

    public init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

    public static func < (left: Self, right: Self) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// The moment so many milliseconds later.
    public func advanced(by milliseconds: Int64) -> MessageTime {
        MessageTime(millisecondsSince1970: millisecondsSince1970 + milliseconds)
    }
}

/// How well the time of a message is known; a better source replaces a worse one, never the other way round.
public enum TimeSource: Int, Sendable, Codable, Comparable {
    /// This device's clock when the message was written or came in.
    case clock = 0
    /// The server's stamp on a delayed message (XEP-0203 §3), or the sender's on one that it has sent again.
    case delay = 1
    /// The stamp in the archive that the conversation belongs to (XEP-0313 §4.1).
    case archive = 2

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
