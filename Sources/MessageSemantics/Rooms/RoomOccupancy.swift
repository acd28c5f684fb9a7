internal import MessagePayloads
public import XMPPAddress
public import XMPPStanzas

/// Who this account is in one room, and which claims of the room's messages are believed.
public struct RoomOccupancy: Hashable, Sendable {
    public var nickname: String
    /// The occupant id that the room gave to this account (XEP-0421).
    public var occupantID: String?
    /// The room announces occupant ids; elsewhere anybody can write one (XEP-0421 §5).
    public var hasOccupantIDs: Bool
    /// The room announces that it gives the ids of its archive; elsewhere anybody can write one (XEP-0359 §5).
    public var hasStanzaIDs: Bool

    public init(
        nickname: String, occupantID: String? = nil, hasOccupantIDs: Bool = false, hasStanzaIDs: Bool = false
    ) {
        self.nickname = nickname
        self.occupantID = occupantID
        self.hasOccupantIDs = hasOccupantIDs
        self.hasStanzaIDs = hasStanzaIDs
    }

    /// Our occupant id, where it is believed.
    public var believedOccupantID: String? { hasOccupantIDs ? occupantID : nil }

    /// The occupant id of a message's sender, where it is believed: only a room that announces occupant ids removes those that
    /// others have written (XEP-0421 §5).
    public func occupantID(in message: Message) -> String? {
        hasOccupantIDs ? ((try? message.payload(OccupantIdentifier.self)) ?? nil)?.id : nil
    }

    /// Whether this account has sent a message of the room: known by the occupant id, and by the nickname where one of the two
    /// ids is missing.
    public func isOwn(_ message: Message) -> Bool {
        if let id = occupantID(in: message), let own = believedOccupantID { return id == own }
        return message.from?.resource == nickname
    }
}
