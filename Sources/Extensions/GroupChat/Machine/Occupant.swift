public import XMPPAddress
public import XMPPStanzas

/// Somebody in a room.
public struct Occupant: Sendable, Hashable {
    /// Unique in the room at any moment.
    public var nickname: String
    public var role: RoomRole
    public var affiliation: RoomAffiliation
    /// The real address, where the room tells it.
    public var address: JID?
    /// Stays the same whatever the nickname, in rooms that give such identifiers (XEP-0421); `nil` elsewhere.
    public var id: String?
    public var show: Presence.Show?
    public var status: String?
    /// What else this person is there (XEP-0317), in rooms that say so; empty elsewhere.
    public var hats: [RoomHat]
    /// Whether it is me.
    public var isSelf: Bool

    public init(
        nickname: String, role: RoomRole = .participant, affiliation: RoomAffiliation = .none, address: JID? = nil,
        id: String? = nil, show: Presence.Show? = nil, status: String? = nil, hats: [RoomHat] = [],
        isSelf: Bool = false
    ) {
        self.nickname = nickname
        self.role = role
        self.affiliation = affiliation
        self.address = address
        self.id = id
        self.show = show
        self.status = status
        self.hats = hats
        self.isSelf = isSelf
    }
}
