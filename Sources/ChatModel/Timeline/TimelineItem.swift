public import ChatStore

/// One row of a timeline.
public enum TimelineItem: Identifiable, Hashable, Sendable {
    /// Older messages are being fetched; stands at the top.
    case history
    case day(TimelineDay)
    /// Something may be missing here.
    case gap(before: MessageID)
    /// What is below was not read when the conversation was opened.
    case unread(count: Int)
    case message(TimelineMessage)

    public enum ID: Hashable, Sendable {
        case history
        case day(TimelineDay)
        case gap(MessageID)
        case unread
        case message(MessageID)
    }

    public var id: ID {
        switch self {
        case .history: .history
        case .day(let day): .day(day)
        case .gap(let message): .gap(message)
        case .unread: .unread
        case .message(let message): .message(message.id)
        }
    }

    public var message: TimelineMessage? {
        if case .message(let message) = self { message } else { nil }
    }
}

/// A day in the calendar and time zone of the person who looks.
public struct TimelineDay: Hashable, Sendable, Comparable {
    /// When it begins.
    public let start: MessageTime
    public let year: Int
    public let month: Int
    public let day: Int

    public static func < (left: TimelineDay, right: TimelineDay) -> Bool { left.start < right.start }
}
