internal import ChatStore
internal import XMPPAddress

/// One moment of a timeline as it is read from the store: the window and what its messages refer to.
struct TimelineContents: Sendable, Equatable {
    var window: TimelineWindow
    /// The messages that those in the window answer, by the one that answers.
    var answered: [MessageID: StoredMessage] = [:]
    var gaps: [ArchiveGap] = []
    /// The newest message, also where the window does not reach it.
    var newest: StoredMessage?
    /// Messages of others that were not read.
    var unreadCount = 0
    /// A person wants to come back to it.
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
        newest =
            window.reachesNewest
            ? window.messages.last : try store.timeline(of: conversation, .newest, limit: 1).last
        let summary = try store.conversation(conversation)
        unreadCount = summary?.unreadCount ?? 0
        isMarkedUnread = summary?.isMarkedUnread ?? false
    }

    /// What is missing in the conversation's archive. What was asked for about this peer alone fills the account's gaps.
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
