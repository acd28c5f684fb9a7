internal import Foundation
package import MessagePayloads
package import XMPPAddress

/// One row of the messages table: a message, or a correction, retraction or set of reactions.
///
/// All four are stanzas that arrive in several copies and have a position in the archive, so they are recognised, timed
/// and ordered alike.
package struct MessageRecord: Equatable, Sendable {
    package var id = MessageID(rawValue: 0)
    package var conversation: ConversationID
    package var kind: MessageContent.Kind
    package var sender: JID
    package var occupantID: String?
    /// In a room without occupant ids: the stay of the occupant during which the message arrived.
    package var stay: OccupantStay?
    package var isOutgoing: Bool
    package var wireID: String?
    package var originID: String?
    /// Its first archive id; further ones are stored separately.
    package var archiveReference: ArchiveReference?
    /// The time that is shown.
    package var time: MessageTime
    package var timeSource: TimeSource
    /// The time for sorting: the same, except that a message timed by our clock is never sorted before one that arrived
    /// earlier.
    package var orderTime: MessageTime
    package var orderRank: Int64 = 0
    package var state: MessageState
    /// The original text, or the text of a correction; the reactions, separated by line feeds. Deleted by a retraction.
    package var body: String?
    package var subject: String?
    package var thread: String?
    package var link: LinkDescription?
    package var reply: TargetReference?
    package var hasAttachments = false
    /// The kinds of files of the message as it is shown: those of the effective correction, if it has any. Only set for
    /// messages, which are queried by it.
    package var media: MediaKinds = []
    /// The target of a correction, retraction or reaction, as its sender identified it.
    package var targetReference: TargetReference?
    /// The message that the reference identifies, once it is stored.
    package var target: MessageID?
    /// The effective correction.
    package var currentEdit: MessageID?
    /// The effective retraction.
    package var retraction: MessageID?
    package var hasReactions = false
    package var protection = MessageProtection.none
    /// Which devices of the other side have confirmed it, if it is ours.
    package var receipts: [MessageReceipt] = []
    /// The devices that cannot decrypt it, if it is ours.
    package var unreadable: [ProtectionError.Recipient] = []

    package var position: TimelinePosition { TimelinePosition(time: orderTime, rank: orderRank, id: id) }

    package var isRetracted: Bool { retraction != nil }

    /// The references that others may use for it, apart from archive ids.
    package var sentReferences: [TargetReference] {
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
package struct PendingMark: Equatable, Sendable {
    package enum Kind: Int, Sendable {
        /// A receipt, marker or error of the peer for one of our messages.
        case state = 0
        /// The read position of another device of the account.
        case read = 1
    }

    package var kind: Kind
    package var state: MessageState
    /// When it arrived.
    package var time: MessageTime

    /// The maximum number of pending receipts and markers in one conversation, and of read positions: an archive page
    /// of a hundred messages can bring them in any order, and by XEP-0333 §5 a marker without its message is ignored.
    static let limit = 64
    /// How long a receipt or marker is stored, in milliseconds: a day, within which every synchronisation completes.
    static let longestWait: Int64 = 24 * 3_600_000
}

extension MessageRecord {
    /// ``link`` as JSON. What cannot be read is no link.
    package var storedLink: String? {
        get { link.flatMap { try? JSONEncoder().encode($0) }.map { String(decoding: $0, as: UTF8.self) } }
        set { link = newValue.flatMap { try? JSONDecoder().decode(LinkDescription.self, from: Data($0.utf8)) } }
    }

    /// ``receipts`` as JSON; `nil` for none. What cannot be read is none.
    package var storedReceipts: String? {
        get {
            receipts.isEmpty ? nil : (try? JSONEncoder().encode(receipts)).map { String(decoding: $0, as: UTF8.self) }
        }
        set {
            receipts = newValue.flatMap { try? JSONDecoder().decode([MessageReceipt].self, from: Data($0.utf8)) } ?? []
        }
    }

    /// Adds a receipt, once for each device and kind.
    ///
    /// - Parameter limit: the number of receipts.
    /// - Returns: `false` if nothing has changed.
    mutating func add(_ receipt: MessageReceipt, limit: Int) -> Bool {
        let isKnown = receipts.contains { $0.kind == receipt.kind && $0.hasSameDevice(as: receipt) }
        guard !isKnown, receipts.count < limit else { return false }
        receipts.append(receipt)
        return true
    }

    mutating func take(_ content: MessageContent) {
        targetReference = content.target
        switch content {
        case .text(let text), .correction(_, let text):
            body = text.body
            subject = text.subject
            thread = text.thread
            link = text.link
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
package struct MediaKinds: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

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
