internal import ChatStore
internal import XMPPAddress

/// The part of a conversation in memory: consecutive messages of the store, oldest first, a few pages at most.
struct TimelineWindow: Sendable, Equatable {
    /// In messages: more than a screen shows.
    static let standardPageSize = 50

    let pageSize: Int
    /// The maximum number of pages: the visible part, and as much above and below. Beyond that, the far end is dropped.
    let pages: Int
    var maximumCount: Int { pages * pageSize }

    private(set) var messages: [StoredMessage] = []
    /// Whether the store has nothing before.
    private(set) var reachesOldest = true
    /// Whether the store has nothing after.
    private(set) var reachesNewest = true

    init(pageSize: Int = TimelineWindow.standardPageSize, pages: Int = 3) {
        self.pageSize = pageSize
        self.pages = pages
    }

    /// The newest page.
    func newest(of conversation: ConversationID, in store: any StoreReader) throws(StoreError) -> TimelineWindow {
        let rows = try store.timeline(of: conversation, .newest, limit: pageSize + 1)
        var window = TimelineWindow(pageSize: pageSize, pages: pages)
        window.messages = Array(rows.suffix(pageSize))
        window.reachesOldest = rows.count <= pageSize
        return window
    }

    /// A page with a position in its middle.
    func around(
        _ position: TimelinePosition, of conversation: ConversationID, in store: any StoreReader
    ) throws(StoreError) -> TimelineWindow {
        var window = TimelineWindow(pageSize: pageSize, pages: pages)
        window.messages = try store.timeline(of: conversation, .around(position), limit: pageSize)
        try window.findEnds(conversation, store)
        return window
    }

    /// Loads a page before; `false` if there is none.
    mutating func loadOlder(_ conversation: ConversationID, _ store: any StoreReader) throws(StoreError) -> Bool {
        guard let first = messages.first?.position else { return false }
        let rows = try store.timeline(of: conversation, .before(first), limit: pageSize)
        guard !rows.isEmpty else {
            reachesOldest = true
            return false
        }
        messages.insert(contentsOf: rows, at: 0)
        if messages.count > maximumCount { messages.removeLast(messages.count - maximumCount) }
        try findEnds(conversation, store)
        return true
    }

    /// Loads a page after; `false` if there is none.
    mutating func loadNewer(_ conversation: ConversationID, _ store: any StoreReader) throws(StoreError) -> Bool {
        guard let last = messages.last?.position else { return false }
        let rows = try store.timeline(of: conversation, .after(last), limit: pageSize)
        guard !rows.isEmpty else {
            reachesNewest = true
            return false
        }
        messages += rows
        if messages.count > maximumCount { messages.removeFirst(messages.count - maximumCount) }
        try findEnds(conversation, store)
        return true
    }

    /// Reads the same messages again after a change.
    ///
    /// - Parameter follows: `true` keeps the end at the newest message and drops the beginning when it is too long;
    ///   `false` keeps the beginning, which the user is looking at.
    mutating func refresh(
        follows: Bool, _ conversation: ConversationID, _ store: any StoreReader
    ) throws(StoreError) {
        guard let first = messages.first?.position, let last = messages.last?.position else {
            self = try newest(of: conversation, in: store)
            return
        }
        var rows: [StoredMessage]
        if follows, reachesNewest {
            rows = try store.timeline(of: conversation, .newest, limit: maximumCount)
            if !reachesOldest {
                let inside = rows.count - (rows.firstIndex { $0.position >= first } ?? rows.count)
                rows = Array(rows.suffix(max(inside, pageSize)))
            }
        } else {
            let before = TimelinePosition(
                time: first.time, rank: first.rank, id: MessageID(rawValue: first.id.rawValue - 1))
            rows = try store.timeline(of: conversation, .after(before), limit: maximumCount)
            if !reachesNewest { rows.removeAll { $0.position > last } }
        }
        guard !rows.isEmpty else {
            self = try newest(of: conversation, in: store)
            return
        }
        messages = rows
        try findEnds(conversation, store)
    }

    /// What must never be: more messages than allowed, or in another order.
    var fault: String? {
        if messages.count > maximumCount {
            return "A timeline holds \(messages.count) messages, more than it may."
        }
        let isOrdered = zip(messages, messages.dropFirst()).allSatisfy { $0.position < $1.position }
        return isOrdered ? nil : "A timeline is out of order."
    }

    private mutating func findEnds(_ conversation: ConversationID, _ store: any StoreReader) throws(StoreError) {
        guard let first = messages.first?.position, let last = messages.last?.position else { return }
        reachesOldest = try store.timeline(of: conversation, .before(first), limit: 1).isEmpty
        reachesNewest = try store.timeline(of: conversation, .after(last), limit: 1).isEmpty
    }
}

/// A snapshot of a timeline: the window and the messages that it refers to.
struct TimelineContents: Sendable, Equatable {
    var window: TimelineWindow
    /// The messages replied to, by the replying message.
    var answered: [MessageID: StoredMessage] = [:]
    var gaps: [ArchiveGap] = []
    /// The changes of the encryption and the answers of the contact between the messages of the window, oldest first.
    var notices: [StoredNotice] = []
    /// When the first message was encrypted, as far as the store and the window know.
    var encryptedSince: MessageTime?
    /// The newest message, also if it is outside of the window.
    var newest: StoredMessage?
    /// The number of other people's unread messages.
    var unreadCount = 0
    /// Marked as unread by the user.
    var isMarkedUnread = false

    init(_ window: TimelineWindow) { self.window = window }

    init(
        _ window: TimelineWindow, of conversation: ConversationID, key: ConversationKey, in store: any StoreReader
    ) throws(StoreError) {
        self.window = window
        let inside = Dictionary(window.messages.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for message in window.messages {
            guard let reply = message.text.reply, let target = try store.message(reply, in: conversation) else {
                continue
            }
            answered[message.id] = inside[target.id] ?? target
        }
        gaps = try Self.gaps(key, store)
        try readNotices(of: conversation, in: store)
        newest =
            window.reachesNewest
            ? window.messages.last : try store.timeline(of: conversation, .newest, limit: 1).last
        let summary = try store.conversation(conversation)
        unreadCount = summary?.unreadCount ?? 0
        isMarkedUnread = summary?.isMarkedUnread ?? false
    }

    private mutating func readNotices(
        of conversation: ConversationID, in store: any StoreReader
    ) throws(StoreError) {
        // There are few of them.
        let all = try store.notices(of: conversation, in: .allTime)
        let (start, end) = (ClosedRange<MessageTime>.allTime.lowerBound, ClosedRange<MessageTime>.allTime.upperBound)
        let first = window.reachesOldest ? start : window.messages.first?.position.time ?? start
        let last = window.reachesNewest ? end : window.messages.last?.position.time ?? end
        notices = all.filter { first <= $0.notice.time && $0.notice.time <= last }
        let began = all.first { $0.notice.kind == .began }?.notice.time
        let encrypted = window.messages.first { $0.protection.isSealed }?.position.time
        encryptedSince = [began, encrypted].compactMap(\.self).min()
    }

    /// The gaps of the conversation's archive. A query for this contact alone also fills the gaps of the account's
    /// archive.
    private static func gaps(_ key: ConversationKey, _ store: any StoreReader) throws(StoreError) -> [ArchiveGap] {
        switch key.kind {
        case .room:
            return try store.archiveGaps(of: key.address, with: nil, account: key.account)
        case .direct, .occupant:
            guard let own = try store.accounts().first(where: { $0.id == key.account })?.address else { return [] }
            let gaps = try store.archiveGaps(of: own, with: nil, account: key.account)
            guard !gaps.isEmpty else { return [] }
            let filled = try store.archiveIntervals(of: own, with: key.address, account: key.account)
            return gaps.filter { gap in
                !filled.contains { interval in
                    let begins = gap.after.map { interval.first.time <= $0.time } ?? interval.reachesStart
                    return (begins || interval.reachesStart) && interval.last.time >= gap.before.time
                }
            }
        }
    }
}
