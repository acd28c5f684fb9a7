internal import ChatStore

/// A movement of a timeline's window, made in a snapshot of the store.
enum TimelineMove: Sendable {
    /// To the unread separator, else to the newest message.
    case open
    /// Nowhere: the same messages are read again. A message that the user has just sent, so that it was not yet the newest at
    /// `lastSeen`, is always shown.
    case refresh(follows: Bool, lastSeen: MessageID?)
    /// A page up.
    case older
    /// A page down.
    case newer
    /// To the newest message.
    case newest
    /// To a message and its neighbours.
    case message(MessageID)
    /// To a position, with a page around it.
    case position(TimelinePosition)
    /// To a position, unless it is in the window.
    case separator(TimelinePosition)

    /// Where a movement led.
    struct Result: Sendable {
        var window: TimelineWindow
        /// The first unread message, by ``TimelineMove/open``.
        var unread: TimelinePosition?
        /// Whether it led to what it was for: the message that was looked for, or one that the user has just sent.
        var hasFound = false
    }

    func result(
        from window: TimelineWindow, of conversation: ConversationID, in store: any StoreReader
    ) throws(StoreError) -> Result {
        var window = window
        switch self {
        case .open:
            let newest = try window.newest(of: conversation, in: store)
            guard let position = try store.firstUnread(in: conversation) else { return Result(window: newest) }
            if let first = newest.messages.first, first.position < position {
                return Result(window: newest, unread: position)
            }
            return Result(window: try window.around(position, of: conversation, in: store), unread: position)
        case .refresh(let follows, let lastSeen):
            if !window.reachesNewest, let newest = try store.timeline(of: conversation, .newest, limit: 1).last,
                newest.isOutgoing, newest.state == .queued, newest.id != lastSeen
            {
                return Result(window: try window.newest(of: conversation, in: store), hasFound: true)
            }
            try window.refresh(follows: follows, conversation, store)
        case .older where window.messages.isEmpty: window = try window.newest(of: conversation, in: store)
        case .older: _ = try window.loadOlder(conversation, store)
        case .newer: _ = try window.loadNewer(conversation, store)
        case .newest: if !window.reachesNewest { window = try window.newest(of: conversation, in: store) }
        case .message(let id):
            if window.messages.contains(where: { $0.id == id }) { return Result(window: window, hasFound: true) }
            guard let found = try store.message(id), found.conversation == conversation else { break }
            return Result(window: try window.around(found.position, of: conversation, in: store), hasFound: true)
        case .position(let position): window = try window.around(position, of: conversation, in: store)
        case .separator(let position):
            if let first = window.messages.first, let last = window.messages.last, first.position < position,
                position <= last.position
            {
                break
            }
            window = try window.around(position, of: conversation, in: store)
        }
        return Result(window: window)
    }
}
