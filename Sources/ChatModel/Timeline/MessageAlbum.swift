public import ChatStore

/// Groups pictures and videos that were sent together: each is a message of its own (XEP-0447 §4.2), and people see them
/// as one.
struct MessageAlbum {
    /// In milliseconds: pictures of one sender that follow each other this fast were sent together.
    static let interval: Int64 = 15_000
    /// More pictures begin another album.
    static let limit = 10

    /// Joins rows that belong together: the first of them holds all, and the others are gone.
    static func joined(_ items: [TimelineItem]) -> [TimelineItem] {
        var joined: [TimelineItem] = []
        joined.reserveCapacity(items.count)
        for item in items {
            guard case .message(let message) = item, case .message(var first)? = joined.last,
                belongs(message, behind: first.album.last ?? first, in: first)
            else {
                joined.append(item)
                continue
            }
            if first.album.isEmpty { first.album = [first.alone] }
            first.album.append(message.alone)
            first.endsGroup = message.endsGroup
            joined[joined.count - 1] = .message(first)
        }
        return joined
    }

    private static func belongs(
        _ message: TimelineMessage, behind last: TimelineMessage, in first: TimelineMessage
    ) -> Bool {
        guard !message.beginsGroup, first.album.count < limit, isPart(message), isPart(last) else { return false }
        // The text of one of them is the text of all.
        let captions = ([first] + first.album.dropFirst() + [message]).filter { !$0.text.body.isEmpty }
        guard captions.count <= 1, message.quotation == nil, message.isOutgoing == last.isOutgoing else { return false }
        return message.position.time.millisecondsSince1970 - last.position.time.millisecondsSince1970 <= interval
    }

    private static func isPart(_ message: TimelineMessage) -> Bool {
        guard message.text.attachments.count == 1, !message.isRetracted, message.reactions.isEmpty else { return false }
        if case .failed = message.state { return false }
        return switch message.text.attachments[0].kind {
        case .picture, .video: true
        case .voice, .file: false
        }
    }
}

extension TimelineMessage {
    /// The same message without those that are shown together with it.
    fileprivate var alone: TimelineMessage {
        var message = self
        message.album = []
        return message
    }

    /// The messages that one row shows: this one, or all of its album, oldest first.
    public var shown: [TimelineMessage] { album.isEmpty ? [self] : album }

    /// The message with the text of an album, else this one.
    public var captioned: TimelineMessage { album.first { !$0.text.body.isEmpty } ?? self }

    /// The state of the whole row: that of the message that is furthest behind.
    public var commonState: MessageState {
        album.map(\.state).min { $0.rank < $1.rank } ?? state
    }
}

extension MessageState {
    fileprivate var rank: Int {
        switch self {
        case .queued: 0
        case .failed: 1
        case .sentToServer: 2
        case .delivered: 3
        case .displayed: 4
        }
    }
}
