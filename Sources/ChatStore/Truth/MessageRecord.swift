internal import XMPPAddress

/// One row of the table of messages: a message, or a correction, retraction or set of reactions about one.
///
/// All four are stanzas that come in several copies and have their place in the archive, so they are recognised, timed
/// and ordered alike.
struct MessageRecord: Equatable, Sendable {
    var id = MessageID(rawValue: 0)
    var conversation: ConversationID
    var kind: MessageKind
    var sender: JID
    var occupantID: String?
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

    var position: TimelinePosition { TimelinePosition(time: orderTime, rank: orderRank, id: id) }

    var isRetracted: Bool { retraction != nil }

    /// By what others may refer to it, apart from the archives' names.
    var sentReferences: [TargetReference] {
        var references: [TargetReference] = []
        if let wireID { references.append(.sent(id: wireID)) }
        if let originID, originID != wireID { references.append(.sent(id: originID)) }
        return references
    }

    /// Both were written by the same person, as far as the protocol lets one know.
    ///
    /// In a room that is the lasting name (XEP-0421) where both have one, else the occupant's address: a nickname that
    /// somebody else takes later has another lasting name.
    static func isSameAuthor(_ left: MessageRecord, _ right: MessageRecord, in kind: ConversationKey.Kind) -> Bool {
        switch kind {
        case .direct:
            return left.sender.bare == right.sender.bare
        case .room:
            if left.isOutgoing && right.isOutgoing { return true }
            if let one = left.occupantID, let other = right.occupantID { return one == other }
            return left.sender == right.sender
        case .occupant:
            return left.isOutgoing == right.isOutgoing && (left.isOutgoing || left.sender == right.sender)
        }
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
}
