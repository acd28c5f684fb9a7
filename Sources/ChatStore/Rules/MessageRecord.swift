internal import XMPPAddress

/// One row of the messages table: a message, or a correction, retraction or set of reactions.
///
/// All four are stanzas that arrive in several copies and have a position in the archive, so they are recognised, timed
/// and ordered alike.
struct MessageRecord: Equatable, Sendable {
    var id = MessageID(rawValue: 0)
    var conversation: ConversationID
    var kind: MessageContent.Kind
    var sender: JID
    var occupantID: String?
    /// In a room without occupant ids: the stay of the occupant during which the message arrived.
    var stay: OccupantStay?
    var isOutgoing: Bool
    var wireID: String?
    var originID: String?
    /// Its first archive id; further ones are stored separately.
    var archiveReference: ArchiveReference?
    /// The time that is shown.
    var time: MessageTime
    var timeSource: TimeSource
    /// The time for sorting: the same, except that a message timed by our clock is never sorted before one that arrived
    /// earlier.
    var orderTime: MessageTime
    var orderRank: Int64 = 0
    var state: MessageState
    /// The original text, or the text of a correction; the reactions, separated by line feeds. Deleted by a retraction.
    var body: String?
    var subject: String?
    var thread: String?
    var reply: TargetReference?
    var hasAttachments = false
    /// The kinds of files of the message as it is shown: those of the effective correction, if it has any. Only set for
    /// messages, which are queried by it.
    var media: MediaKinds = []
    /// The target of a correction, retraction or reaction, as its sender identified it.
    var targetReference: TargetReference?
    /// The message that the reference identifies, once it is stored.
    var target: MessageID?
    /// The effective correction.
    var currentEdit: MessageID?
    /// The effective retraction.
    var retraction: MessageID?
    var hasReactions = false

    var position: TimelinePosition { TimelinePosition(time: orderTime, rank: orderRank, id: id) }

    var isRetracted: Bool { retraction != nil }

    /// The references that others may use for it, apart from archive ids.
    var sentReferences: [TargetReference] {
        var references: [TargetReference] = []
        if let wireID { references.append(.sent(id: wireID)) }
        if let originID, originID != wireID { references.append(.sent(id: originID)) }
        return references
    }

    /// The origin, for the rules about changes and copies.
    func origin(in kind: ConversationKey.Kind) -> MessageOrigin {
        MessageOrigin(in: kind, sender: sender, occupantID: occupantID, stay: stay, isOutgoing: isOutgoing)
    }
}

/// A receipt, marker or read position that arrived before its message.
struct PendingMark: Equatable, Sendable {
    enum Kind: Int, Sendable {
        /// A receipt, marker or error of the peer for one of our messages.
        case state = 0
        /// The read position of another device of the account.
        case read = 1
    }

    var kind: Kind
    var state: MessageState
    /// When it arrived.
    var time: MessageTime

    /// The maximum number of pending receipts and markers in one conversation, and of read positions: an archive page
    /// of a hundred messages can bring them in any order, and by XEP-0333 §5 a marker without its message is ignored.
    static let limit = 64
    /// How long a receipt or marker is stored, in milliseconds: a day, within which every synchronisation completes.
    static let longestWait: Int64 = 24 * 3_600_000
}

extension MessageRecord {
    mutating func take(_ content: MessageContent) {
        targetReference = content.target
        switch content {
        case .text(let text), .correction(_, let text):
            body = text.body
            subject = text.subject
            thread = text.thread
            reply = text.reply
        case .retraction: break
        case .reactions(_, let emojis):
            body = Set(emojis.filter { !$0.isEmpty && !$0.contains("\n") }).sorted().joined(separator: "\n")
        }
    }

    mutating func take(_ attachments: [Attachment]) {
        hasAttachments = !attachments.isEmpty
        media = kind == .text ? MediaKinds(attachments) : []
    }

    /// A better source replaces the time; if the archive has a message several times, the earliest time stamp is used.
    mutating func updateTime(from copy: MessageCopy, rank: Int64?) {
        // We know the time of our own messages better than a server that forwards them; only the archive knows their
        // order.
        if isOutgoing, copy.timeSource == .delay { return }
        guard
            copy.timeSource > timeSource
                || copy.timeSource == timeSource && timeSource != .clock && copy.time < time
        else { return }
        time = copy.time
        timeSource = copy.timeSource
        orderTime = copy.time
        orderRank = rank ?? 0
    }
}

extension MessageTime {
    /// Whether this is a time stamp in whole seconds that can mean the same moment as a later time, or a later one
    /// (XEP-0203 §3 requires no more precision).
    func isWithinSecond(of later: MessageTime) -> Bool {
        millisecondsSince1970 % 1000 == 0 && later.millisecondsSince1970 - millisecondsSince1970 < 1000
    }
}

/// A set of kinds of files; the bit of a kind is its number.
struct MediaKinds: OptionSet, Hashable, Sendable {
    let rawValue: Int

    init(rawValue: Int) { self.rawValue = rawValue }

    init(_ kinds: some Sequence<Attachment.Kind>) {
        rawValue = kinds.reduce(0) { $0 | 1 << $1.rawValue }
    }

    init(_ attachments: [Attachment]) { self.init(attachments.lazy.map(\.kind)) }

    /// All sets that contain at least one of these kinds.
    var supersets: [MediaKinds] {
        (1..<1 << (Attachment.Kind.allCases.count)).map(MediaKinds.init(rawValue:)).filter {
            !$0.isDisjoint(with: self)
        }
    }
}
