public import ChatStore
internal import Foundation
public import XMPPAddress

/// Creates the rows of messages: day separators, the unread separator, and groups of messages.
struct TimelineLayout {
    /// In milliseconds: messages of one sender within this time form a group.
    static let groupingInterval: Int64 = 5 * 60 * 1000

    let key: ConversationKey
    let book: AddressBook
    let calendar: Calendar
    /// The position of the unread separator, and the number of unread messages when the conversation was opened.
    let unread: (position: TimelinePosition, count: Int)?
    let isLoadingOlder: Bool
    /// When the first message was encrypted, as far as that is known: clear text after it is marked.
    var encryptedSince: MessageTime?

    func items(_ contents: TimelineContents) -> [TimelineItem] {
        let messages = contents.window.messages
        var items: [TimelineItem] = []
        items.reserveCapacity(messages.count + 16)
        if isLoadingOlder { items.append(.history) }
        var days = Days(calendar: calendar)
        var previous: (stored: StoredMessage, item: Int)?
        var notices = contents.notices[...]
        var lastDay: TimelineDay?
        func append(_ notice: StoredNotice) {
            if notice.notice.kind == .began, let first = Self.firstOfSent(items) {
                items.insert(.notice(TimelineNotice(notice, book: book, in: key)), at: first)
                Self.divide(&items, at: first)
                previous?.item += 1
                return
            }
            let day = days.day(of: notice.notice.time)
            if lastDay != day { items.append(.day(day)) }
            lastDay = day
            items.append(.notice(TimelineNotice(notice, book: book, in: key)))
        }
        for message in messages {
            var isDivided = false
            while let notice = notices.first, notice.notice.time <= message.position.time {
                append(notices.removeFirst())
                isDivided = true
            }
            let day = days.day(of: message.position.time)
            var row = TimelineMessage(
                message, answered: contents.answered[message.id],
                isAfterEncryption: encryptedSince.map { $0 < message.position.time } ?? false, key: key, book: book)
            if hasGap(before: message.position, after: previous?.stored.position, contents.gaps) {
                items.append(.gap(before: message.id))
                isDivided = true
            }
            if lastDay != day {
                items.append(.day(day))
                lastDay = day
                isDivided = true
            }
            if let unread,
                isSeparatorBefore(unread.position, before: message.position, after: previous?.stored.position, contents)
            {
                items.append(.unread(count: unread.count))
                isDivided = true
            }
            if let previous, !isDivided, belongsTogether(previous.stored, message) {
                row.beginsGroup = false
                if case .message(var before) = items[previous.item] {
                    before.endsGroup = false
                    items[previous.item] = .message(before)
                }
            }
            items.append(.message(row))
            previous = (message, items.count - 1)
        }
        while let notice = notices.popFirst() { append(notice) }
        return items
    }

    /// The first of our encrypted messages at the end. Encryption begins when the first of them is encrypted, which is
    /// after it was written.
    private static func firstOfSent(_ items: [TimelineItem]) -> Int? {
        let others = items.lastIndex { item in
            guard case .message(let message) = item, message.isOutgoing else { return true }
            return message.mark != .encrypted && message.mark != .partly
        }
        let first = others.map { $0 + 1 } ?? 0
        return first < items.count ? first : nil
    }

    /// Ends the group of messages before a row, and begins another one after it.
    private static func divide(_ items: inout [TimelineItem], at row: Int) {
        if row > 0, case .message(var before) = items[row - 1] {
            before.endsGroup = true
            items[row - 1] = .message(before)
        }
        if row + 1 < items.count, case .message(var after) = items[row + 1] {
            after.beginsGroup = true
            items[row + 1] = .message(after)
        }
    }

    private func belongsTogether(_ first: StoredMessage, _ second: StoredMessage) -> Bool {
        guard first.isOutgoing == second.isOutgoing else { return false }
        let isSameSender =
            key.kind == .direct ? first.sender.bare == second.sender.bare : first.sender == second.sender
        let distance = second.position.time.millisecondsSince1970 - first.position.time.millisecondsSince1970
        return isSameSender && distance < Self.groupingInterval
    }

    /// The separator goes before the first unread message; if the window starts below that, it is not shown.
    private func isSeparatorBefore(
        _ line: TimelinePosition, before next: TimelinePosition, after previous: TimelinePosition?,
        _ contents: TimelineContents
    ) -> Bool {
        guard next >= line else { return false }
        if let previous { return previous < line }
        return next == line || contents.window.reachesOldest
    }

    /// Whether messages are missing between two neighbours of the window.
    private func hasGap(
        before next: TimelinePosition, after previous: TimelinePosition?, _ gaps: [ArchiveGap]
    ) -> Bool {
        guard let previous else { return false }
        return gaps.contains { gap in
            let end = (gap.before.time, gap.before.rank)
            return (previous.time, previous.rank) < end && end <= (next.time, next.rank)
        }
    }

    /// Asks the calendar once per day, not per message.
    private struct Days {
        let calendar: Calendar
        private var known: (interval: Range<Int64>, day: TimelineDay)?

        init(calendar: Calendar) { self.calendar = calendar }

        mutating func day(of time: MessageTime) -> TimelineDay {
            if let known, known.interval.contains(time.millisecondsSince1970) { return known.day }
            let start = calendar.startOfDay(for: time.date)
            // Days have between 20 and 28 hours, whatever the clock changes.
            let next = calendar.startOfDay(for: start.addingTimeInterval(28 * 3600))
            let parts = calendar.dateComponents([.year, .month, .day], from: start)
            let day = TimelineDay(
                start: MessageTime(start), year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
            let begin = MessageTime(start).millisecondsSince1970
            let end = MessageTime(next).millisecondsSince1970
            if begin <= time.millisecondsSince1970, time.millisecondsSince1970 < end { known = (begin..<end, day) }
            return day
        }
    }
}

/// A row of a timeline.
public enum TimelineItem: Identifiable, Hashable, Sendable {
    /// Older messages are being loaded; the first row.
    case history
    case day(TimelineDay)
    /// Messages may be missing here.
    case gap(before: MessageID)
    /// The messages below were unread when the conversation was opened.
    case unread(count: Int)
    case message(TimelineMessage)
    /// The encryption has changed here, or the contact has answered.
    case notice(TimelineNotice)

    public enum ID: Hashable, Sendable {
        case history
        case day(TimelineDay)
        case gap(MessageID)
        case unread
        case message(MessageID)
        case notice(Int64)
    }

    public var id: ID {
        switch self {
        case .history: .history
        case .day(let day): .day(day)
        case .gap(let message): .gap(message)
        case .unread: .unread
        case .message(let message): .message(message.id)
        case .notice(let notice): .notice(notice.id)
        }
    }

    public var message: TimelineMessage? {
        if case .message(let message) = self { message } else { nil }
    }

    /// Whether the row shows what has this identifier: itself, or a message of its album.
    public func shows(_ id: ID) -> Bool {
        if self.id == id { return true }
        guard case .message(let message) = id, let album = self.message?.album else { return false }
        return album.contains { $0.id == message }
    }
}

/// A day in the user's calendar and time zone.
public struct TimelineDay: Hashable, Sendable, Comparable {
    /// The start of the day.
    public let start: MessageTime
    public let year: Int
    public let month: Int
    public let day: Int

    public static func < (left: TimelineDay, right: TimelineDay) -> Bool { left.start < right.start }
}

/// A change of the encryption of a conversation, or an answer of the contact, as a row of its timeline.
public struct TimelineNotice: Identifiable, Hashable, Sendable {
    public let id: Int64
    public let time: MessageTime
    public let kind: ConversationNotice.Kind
    /// The account with the new key, or the contact that answered, and its name; `nil` where the notice is about neither.
    public let address: JID?
    public let name: String?
    /// Whether the new key is one of our own account.
    public let isOwn: Bool
    /// The number of the device that has the key.
    public let device: UInt32?

    init(_ stored: StoredNotice, book: AddressBook, in key: ConversationKey) {
        id = stored.id
        time = stored.notice.time
        kind = stored.notice.kind
        address = stored.notice.kind.isAnswer ? key.address : stored.notice.key?.address
        // In a room the book names occupants.
        name = address.map { key.kind == .direct ? book.author($0, in: key) : $0.description }
        isOwn = address.map { book.accounts[key.account]?.address == $0.bare } ?? false
        device = stored.notice.key?.device
    }
}
