public import XMPPAddress

/// Who wrote a message, as far as it decides who may correct it, retract it or replace a reaction (XEP-0308 §5,
/// XEP-0424 §5, XEP-0444 §4.1).
///
/// Between two people the author is the account. In a room, and in private messages of a room, it is the occupant, and the
/// occupant's address alone proves nothing: another person can take the nickname later. Two facts prove it:
///
/// * the occupant id (XEP-0421), where the room announces that it gives them. Both messages must have one. If only one has
///   one, the authors are not the same: the address cannot prove what the id would.
/// * without occupant ids the stay: both messages came while the same occupant was in the room without leaving
///   (``OccupantStay``). Nothing that comes from an archive or from a room's history has one.
public struct MessageAuthor: Sendable, Hashable {
    /// The bare address of an account, or the full address of an occupant.
    public let address: JID
    /// The sender is an occupant of a room.
    public let isOccupant: Bool
    /// What the room calls the occupant, if the room announces occupant ids.
    public let occupantID: String?
    /// The stay during which the message came.
    public let stay: OccupantStay?

    /// The author of a message between two people.
    public init(account: JID) {
        address = account.bare
        isOccupant = false
        occupantID = nil
        stay = nil
    }

    /// The author of a message in a room, or of a private message through a room.
    ///
    /// - Parameter occupantID: only from a room that announces `urn:xmpp:occupant-id:0` (XEP-0421 §5).
    public init(occupant: JID, id occupantID: String?, stay: OccupantStay?) {
        address = occupant
        isOccupant = true
        self.occupantID = occupantID
        self.stay = stay
    }

    /// Whether it is proved that the same author wrote both, so that one message may change the other.
    public func isSame(as other: MessageAuthor) -> Bool {
        guard isOccupant, other.isOccupant else {
            return isOccupant == other.isOccupant && address == other.address
        }
        guard address.bare == other.address.bare else { return false }
        if stay == .own, other.stay == .own { return true }
        if occupantID != nil || other.occupantID != nil { return occupantID == other.occupantID }
        return stay != nil && stay == other.stay && address == other.address && address.resource != nil
    }

    /// Nothing proves who the author is: neither an account nor an occupant id nor a stay.
    public var isUnproved: Bool { isOccupant && occupantID == nil && stay == nil }
}

/// One uninterrupted stay of one occupant in a room that gives no occupant ids, as this program saw it.
///
/// It ends when the occupant leaves or takes another nickname, when this account leaves or loses the room, and with the
/// program: numbers are drawn at random, so that two stays never have the same one.
public struct OccupantStay: RawRepresentable, Sendable, Hashable {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// This account's own: what was written on this device, and what the room sent while this account had the nickname.
    public static let own = OccupantStay(rawValue: 0)
}

/// Where a message comes from, as far as the rules about changes and copies ask: which kind of conversation, and who sent it.
public struct MessageOrigin: Sendable, Hashable {
    public var kind: ConversationAddress.Kind
    /// Who wrote it; see ``MessageCopy/sender``.
    public var sender: JID
    /// Believed already; see ``MessageCopy/occupantID``.
    public var occupantID: String?
    public var stay: OccupantStay?
    /// This account wrote it.
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

    /// Who wrote it, as far as that decides who may change it.
    public var author: MessageAuthor {
        switch kind {
        case .direct: MessageAuthor(account: sender)
        case .room: MessageAuthor(occupant: sender, id: occupantID, stay: stay)
        // What we said privately comes from our own server or from this device, so there is no doubt about it.
        case .occupant: MessageAuthor(occupant: sender, id: occupantID, stay: isOutgoing ? .own : stay)
        }
    }
}
