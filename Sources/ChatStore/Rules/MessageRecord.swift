internal import XMPPAddress

/// One row of the table of messages: a message, or a correction, retraction or set of reactions about one.
///
/// All four are stanzas that come in several copies and have their place in the archive, so they are recognised, timed
/// and ordered alike.
struct MessageRecord: Equatable, Sendable {
    var id = MessageID(rawValue: 0)
    var conversation: ConversationID
    var kind: MessageContent.Kind
    var sender: JID
    var occupantID: String?
    /// In a room that gives no occupant ids: the stay of the occupant during which the message came.
    var stay: OccupantStay?
    var isOutgoing: Bool
    var wireID: String?
    var originID: String?
    /// The first name that an archive gave to it; further ones are kept beside.
    var archiveReference: ArchiveReference?
    /// What is shown.
    var time: MessageTime
    var timeSource: TimeSource
    /// What is sorted by: the same, except that a message timed by a clock never stands before one that came earlier.
    var orderTime: MessageTime
    var orderRank: Int64 = 0
    var state: MessageState
    /// The text as it was first sent, or the text of a correction; the reactions, separated by line feeds. Erased by a
    /// retraction.
    var body: String?
    var subject: String?
    var thread: String?
    var reply: TargetReference?
    var hasAttachments = false
    /// What kinds of files the message has as it is shown: those of the correction that counts, if that has any. Only messages
    /// have it, by which they are found.
    var media: MediaKinds = []
    /// What a correction, retraction or reaction is about, as its sender named it.
    var targetReference: TargetReference?
    /// The message that the reference means, once it is here.
    var target: MessageID?
    /// The correction that counts.
    var currentEdit: MessageID?
    /// The retraction that counts.
    var retraction: MessageID?
    var hasReactions = false
    var protection = MessageProtection.none

    var position: TimelinePosition { TimelinePosition(time: orderTime, rank: orderRank, id: id) }

    var isRetracted: Bool { retraction != nil }

    /// By what others may refer to it, apart from the archives' names.
    var sentReferences: [TargetReference] {
        var references: [TargetReference] = []
        if let wireID { references.append(.sent(id: wireID)) }
        if let originID, originID != wireID { references.append(.sent(id: originID)) }
        return references
    }

    /// What the rules about changes and copies need to know of it.
    func origin(in kind: ConversationKey.Kind) -> MessageOrigin {
        MessageOrigin(in: kind, sender: sender, occupantID: occupantID, stay: stay, isOutgoing: isOutgoing)
    }
}

/// A receipt, marker or read position that came before the message it is about.
struct PendingMark: Equatable, Sendable {
    enum Kind: Int, Sendable {
        /// What the peer says about a message of ours.
        case state = 0
        /// Up to where another device of ours has read.
        case read = 1
    }

    var kind: Kind
    var state: MessageState
    /// When it came.
    var time: MessageTime

    /// So many receipts and markers wait in one conversation, and so many read positions: a catch-up brings a page of a hundred
    /// messages in any order, and XEP-0333 §5 wants a marker without its message ignored.
    static let limit = 64
    /// How long a receipt or marker waits, in milliseconds: a day, in which every catch-up is done.
    static let longestWait: Int64 = 24 * 3_600_000
}
