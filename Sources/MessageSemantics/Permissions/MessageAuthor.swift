public import XMPPAddress

/// The author of a message, for deciding who may correct or retract it or replace a reaction (XEP-0308 §5, XEP-0424 §5,
/// XEP-0444 §4.1).
///
/// In a one-to-one conversation the author is the account. In a room, and in private messages of a room, it is the
/// occupant. The address of an occupant alone proves nothing, because another person can take the nickname later. There
/// are two proofs:
///
/// * the occupant id (XEP-0421), if the room announces occupant ids. Both messages must have one. If only one of them
///   does, the authors count as different, because an address cannot replace the id.
/// * in a room without occupant ids, the stay: both messages arrived while the same occupant was in the room without
///   interruption (``OccupantStay``). Messages from an archive or from the history of a room have none.
public struct MessageAuthor: Sendable, Hashable {
    /// The bare address of an account, or the full address of an occupant.
    public let address: JID
    /// Whether the sender is an occupant of a room.
    public let isOccupant: Bool
    /// The occupant id, if the room announces occupant ids.
    public let occupantID: String?
    /// The stay during which the message arrived.
    public let stay: OccupantStay?

    /// The author of a message in a one-to-one conversation.
    public init(account: JID) {
        address = account.bare
        isOccupant = false
        occupantID = nil
        stay = nil
    }

    /// The author of a message in a room, or of a private message in a room.
    ///
    /// - Parameter occupantID: only from a room that announces `urn:xmpp:occupant-id:0` (XEP-0421 §5).
    public init(occupant: JID, id occupantID: String?, stay: OccupantStay?) {
        address = occupant
        isOccupant = true
        self.occupantID = occupantID
        self.stay = stay
    }

    /// Whether it is proved that both messages have the same author, so that one may change the other.
    public func isSame(as other: MessageAuthor) -> Bool {
        guard isOccupant, other.isOccupant else {
            return isOccupant == other.isOccupant && address == other.address
        }
        guard address.bare == other.address.bare else { return false }
        if stay == .own, other.stay == .own { return true }
        if occupantID != nil || other.occupantID != nil { return occupantID == other.occupantID }
        return stay != nil && stay == other.stay && address == other.address && address.resource != nil
    }

    /// Whether there is no proof of the author: neither an account nor an occupant id nor a stay.
    public var isUnproved: Bool { isOccupant && occupantID == nil && stay == nil }
}

/// One uninterrupted stay of an occupant in a room without occupant ids, as observed by this program.
///
/// It ends when the occupant leaves or changes the nickname, when this account leaves or loses the room, and when the
/// program ends. The values are random, so that no two stays are equal.
public struct OccupantStay: RawRepresentable, Sendable, Hashable {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The stay of this account: messages written on this device, or sent by the room while this account had the
    /// nickname.
    public static let own = OccupantStay(rawValue: 0)
}

/// The source of a message as far as the rules for changes and copies need it: the kind of conversation, and the
/// sender.
public struct MessageOrigin: Sendable, Hashable {
    public var kind: ConversationAddress.Kind
    /// The author; see ``MessageCopy/sender``.
    public var sender: JID
    /// Already verified; see ``MessageCopy/occupantID``.
    public var occupantID: String?
    public var stay: OccupantStay?
    /// Whether this account wrote it.
    public var isOutgoing: Bool

    public init(
        in kind: ConversationAddress.Kind, sender: JID, occupantID: String? = nil, stay: OccupantStay? = nil,
        isOutgoing: Bool
    ) {
        self.kind = kind
        self.sender = sender
        self.occupantID = occupantID
        self.stay = stay
        self.isOutgoing = isOutgoing
    }

    public init(of copy: MessageCopy, in kind: ConversationAddress.Kind) {
        self.init(
            in: kind, sender: copy.sender, occupantID: copy.occupantID, stay: copy.stay, isOutgoing: copy.isOutgoing)
    }

    /// The author, for deciding who may change the message.
    public var author: MessageAuthor {
        switch kind {
        case .direct: MessageAuthor(account: sender)
        case .room: MessageAuthor(occupant: sender, id: occupantID, stay: stay)
        // Our own private messages come from our server or from this device, so their author is certain.
        case .occupant: MessageAuthor(occupant: sender, id: occupantID, stay: isOutgoing ? .own : stay)
        }
    }
}
