public import XMPPAddress

/// A message as a timeline shows it: its latest text, its state and its reactions.
public struct StoredMessage: Hashable, Sendable, Identifiable {
    public let id: MessageID
    public let conversation: ConversationID
    public let position: TimelinePosition
    /// When it was sent, as precisely as it is known.
    public let time: MessageTime
    public let timeSource: TimeSource
    public let sender: JID
    public let occupantID: String?
    public let isOutgoing: Bool
    /// The stanza's `id`.
    public let wireID: String?
    public let originID: String?
    /// The archive id that the conversation's archive assigned.
    public let archiveReference: ArchiveReference?
    /// The text after all corrections; empty if it was retracted.
    public let text: MessageText
    public let state: MessageState
    /// The time of the last correction.
    public let editTime: MessageTime?
    public let isRetracted: Bool
    /// Ordered by emoji, then sender.
    public let reactions: [Reaction]
    /// Of the text that is shown: of the last correction, if it was corrected.
    public let protection: MessageProtection
    /// The devices, or accounts without any, that cannot decrypt a message of ours that others can, each with its
    /// reason.
    public let unreadable: [ProtectionError.Recipient]
    /// Which devices of the other side have confirmed a message of ours, in the order of arrival; in a room, which
    /// occupants have seen this one and none of our later ones.
    public let receipts: [MessageReceipt]
}

/// The confirmation of a message of ours by a device of the other side.
public struct MessageReceipt: Hashable, Sendable, Codable {
    public enum Kind: Int, Sendable, Codable {
        /// XEP-0184.
        case delivered = 0
        /// XEP-0333.
        case displayed = 1
    }

    public let kind: Kind
    /// The resource of the device; empty if its address had none. In a room it is the nickname.
    public let device: String
    /// The reader's occupant id, if the room assigns one: a nickname can become that of another person.
    public let occupantID: String?
    /// When it arrived.
    public let time: MessageTime

    /// More are not stored: no user has so many devices, and a sender can invent them.
    static let limit = 16
    /// The same for a room: who reads the names of more people?
    static let limitInRoom = 64
    /// In characters.
    private static let deviceLimit = 64
    /// In bytes: 128 characters (XEP-0421 §4.1) of four bytes, because one character can have any number of them. A longer id is
    /// ignored.
    private static let occupantLimit = 512

    init?(_ report: StateReport) {
        switch report.kind {
        case .delivered: kind = .delivered
        case .displayed: kind = .displayed
        case .refused: return nil
        }
        device = String((report.sender.resource ?? "").prefix(Self.deviceLimit))
        occupantID = report.occupantID.flatMap { $0.utf8.count <= Self.occupantLimit ? $0 : nil }
        time = report.time
    }

    /// Whether both are of one device, or of one reader in a room: by occupant id, and by nickname if one has none.
    package func hasSameDevice(as other: MessageReceipt) -> Bool {
        if let one = occupantID, let two = other.occupantID { return one == two }
        return device == other.device
    }
}

/// A notice in the timeline of a conversation, at its time among the messages.
public struct StoredNotice: Hashable, Sendable, Identifiable {
    /// Never reused.
    public let id: Int64
    public let notice: ConversationNotice

    package init(id: Int64, notice: ConversationNotice) { (self.id, self.notice) = (id, notice) }
}

/// A reaction of one sender to a message (XEP-0444).
public struct Reaction: Hashable, Sendable, Comparable {
    public let emoji: String
    public let sender: JID
    /// Whether it is the account's own. The sender does not show that: in a room others can have had the same nickname.
    public let isOutgoing: Bool

    public init(emoji: String, sender: JID, isOutgoing: Bool = false) {
        self.emoji = emoji
        self.sender = sender
        self.isOutgoing = isOutgoing
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.emoji, left.sender) < (right.emoji, right.sender)
    }
}

/// A version of a message's text.
public struct MessageVersion: Hashable, Sendable {
    public let time: MessageTime
    public let body: String
}

/// Identifies a message in its store; never changed and never reused.
///
/// Later messages have larger numbers, but only roughly: sort a timeline by ``TimelinePosition``.
public struct MessageID: Hashable, Comparable, Sendable, Codable, RawRepresentable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The position of a message in the timeline of its conversation: by time, then by the archive's order within that
/// time, then by its number.
///
/// It is also the anchor for paging: a page begins before or after a position, whether or not there is a message at it.
public struct TimelinePosition: Hashable, Comparable, Sendable, Codable {
    public let time: MessageTime
    /// The order among messages with the same time; many archives use time stamps in seconds.
    public let rank: Int64
    public let id: MessageID

    public init(time: MessageTime, rank: Int64 = 0, id: MessageID) {
        self.time = time
        self.rank = rank
        self.id = id
    }

    /// A position before every message of that time and after every earlier one: the anchor for a jump to a date.
    public static func start(of time: MessageTime) -> TimelinePosition {
        TimelinePosition(time: time, rank: .min, id: MessageID(rawValue: .min))
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.time, left.rank, left.id) < (right.time, right.rank, right.id)
    }
}
