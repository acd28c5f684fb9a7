internal import MessagePayloads
internal import XMPPAddress
public import XMPPStanzas

/// The nickname and occupant id of this account in one room, and which claims in the messages of the room are trusted.
public struct RoomOccupancy: Hashable, Sendable {
    public var nickname: String
    /// The occupant id that the room assigned to this account (XEP-0421).
    public var occupantID: String?
    /// Whether the room announces occupant ids. In other rooms, any sender can forge one (XEP-0421 §5).
    public var hasOccupantIDs: Bool
    /// Whether the room announces stanza ids of its archive. In other rooms, any sender can forge one (XEP-0359 §5).
    public var hasStanzaIDs: Bool
    /// Whether only members are inside and see each other's addresses: a group of people who know each other, in which
    /// markers say who has read what.
    public var isPrivate = false
    /// Whether this account may address everybody (``EverybodyMention``).
    public var isModerator = false

    public init(
        nickname: String, occupantID: String? = nil, hasOccupantIDs: Bool = false, hasStanzaIDs: Bool = false
    ) {
        self.nickname = nickname
        self.occupantID = occupantID
        self.hasOccupantIDs = hasOccupantIDs
        self.hasStanzaIDs = hasStanzaIDs
    }

    /// Our occupant id, if the room announces occupant ids.
    public var believedOccupantID: String? { hasOccupantIDs ? occupantID : nil }

    /// The trusted occupant id of the sender of a message. Only a room that announces occupant ids removes forged ones
    /// (XEP-0421 §5).
    public func occupantID(in message: Message) -> String? {
        hasOccupantIDs ? ((try? message.payload(OccupantIdentifier.self)) ?? nil)?.id : nil
    }

    /// Whether this account sent a message of the room. Compares occupant ids, or nicknames if one of the ids is
    /// missing.
    public func isOwn(_ message: Message) -> Bool {
        if let id = occupantID(in: message), let own = believedOccupantID { return id == own }
        return message.from?.resource == nickname
    }
}
