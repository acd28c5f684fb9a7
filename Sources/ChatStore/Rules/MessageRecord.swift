package import XMPPAddress

/// One row of the table of messages: a message, or a correction, retraction or set of reactions about one.
///
/// All four are stanzas that come in several copies and have their place in the archive, so they are recognised, timed
/// and ordered alike.
package struct MessageRecord: Equatable, Sendable {
    package var id = MessageID(rawValue: 0)
    package var conversation: ConversationID
    package var kind: MessageContent.Kind
    package var sender: JID
    package var occupantID: String?
    /// In a room that gives no occupant ids: the stay of the occupant during which the message came.
    package var stay: OccupantStay?
    package var isOutgoing: Bool
    package var wireID: String?
    package var originID: String?
    /// The first name that an archive gave to it; further ones are kept beside.
    package var archiveReference: ArchiveReference?
    /// What is shown.
    package var time: MessageTime
    package var timeSource: TimeSource
    /// What is sorted by: the same, except that a message timed by a clock never stands before one that came earlier.
    package var orderTime: MessageTime
    package var orderRank: Int64 = 0
    package var state: MessageState
    /// The text as it was first sent, or the text of a correction; the reactions, separated by line feeds. Erased by a
    /// retraction.
    package var body: String?
    package var subject: String?
    package var thread: String?
    package var reply: TargetReference?
    package var hasAttachments = false
    /// What kinds of files the message has as it is shown: those of the correction that counts, if that has any. Only messages
    /// have it, by which they are found.
    package var media: MediaKinds = []
    /// What a correction, retraction or reaction is about, as its sender named it.
    package var targetReference: TargetReference?
    /// The message that the reference means, once it is here.
    package var target: MessageID?
    /// The correction that counts.
    package var currentEdit: MessageID?
    /// The retraction that counts.
    package var retraction: MessageID?
    package var hasReactions = false

    package var position: TimelinePosition { TimelinePosition(time: orderTime, rank: orderRank, id: id) }

    package var isRetracted: Bool { retraction != nil }

    /// By what others may refer to it, apart from the archives' names.
    package var sentReferences: [TargetReference] {
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
package struct PendingMark: Equatable, Sendable {
    package enum Kind: Int, Sendable {
        /// What the peer says about a message of ours.
        case state = 0
        /// Up to where another device of ours has read.
        case read = 1
    }

    package var kind: Kind
    package var state: MessageState
    /// When it came.
    package var time: MessageTime

    /// So many receipts and markers wait in one conversation, and so many read positions: a catch-up brings a page of a hundred
    /// messages in any order, and XEP-0333 §5 wants a marker without its message ignored.
    static let limit = 64
    /// How long a receipt or marker waits, in milliseconds: a day, in which every catch-up is done.
    static let longestWait: Int64 = 24 * 3_600_000
}
