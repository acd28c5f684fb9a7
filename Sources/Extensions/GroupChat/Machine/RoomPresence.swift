import MessagePayloads
public import XMPPAddress
public import XMPPStanzas

/// The content of an occupant's presence, as the machine needs it.
struct RoomPresence: Equatable, Sendable {
    var nickname: String
    var isAvailable: Bool
    var user: RoomUser
    var occupantID: String?
    var show: Presence.Show?
    var status: String?
    var hats: [RoomHat]

    init(
        nickname: String, isAvailable: Bool, user: RoomUser, occupantID: String? = nil, show: Presence.Show? = nil,
        status: String? = nil, hats: [RoomHat] = []
    ) {
        self.nickname = nickname
        self.isAvailable = isAvailable
        self.user = user
        self.occupantID = occupantID
        self.show = show
        self.status = status
        self.hats = hats
    }

    /// `nil` unless it is a presence of an occupant: with a nickname, of the right type, and with the room's own
    /// element.
    ///
    /// - Parameters:
    ///   - trustsIdentifiers: whether the room supports occupant ids (XEP-0421 §5).
    ///   - trustsHats: whether it supports hats (XEP-0317).
    init?(_ presence: Presence, trustsIdentifiers: Bool, trustsHats: Bool = false) {
        guard presence.type == .available || presence.type == .unavailable, let nickname = presence.from?.resource,
            let user = (try? presence.payload(RoomUser.self)) ?? nil
        else { return nil }
        let identifier = trustsIdentifiers ? (try? presence.payload(OccupantIdentifier.self)) ?? nil : nil
        self.init(
            nickname: nickname, isAvailable: presence.type == .available, user: user, occupantID: identifier?.id,
            show: presence.show, status: presence.shortStatus,
            hats: trustsHats ? ((try? presence.payload(RoomHats.self)) ?? nil)?.hats ?? [] : [])
    }

    var isOwn: Bool { user.statuses.contains(.own) }

    /// The occupant that this presence describes.
    var occupant: Occupant {
        Occupant(
            nickname: nickname, role: user.item?.role ?? RoomRole.none,
            affiliation: user.item?.affiliation ?? RoomAffiliation.none,
            address: user.item?.address, id: occupantID, show: show, status: status, hats: hats, isSelf: isOwn)
    }

    /// The new nickname of a change (XEP-0045 §7.6), if this is one.
    var newNickname: String? {
        !isAvailable && user.statuses.contains(.renamed) ? user.item?.nickname : nil
    }
}

/// An occupant of a room.
public struct Occupant: Sendable, Hashable {
    /// Unique in the room at any time.
    public var nickname: String
    public var role: RoomRole
    public var affiliation: RoomAffiliation
    /// The real address, if the room reveals it.
    public var address: JID?
    /// The occupant id, which does not change with the nickname (XEP-0421); `nil` if the room does not support it.
    public var id: String?
    public var show: Presence.Show?
    public var status: String?
    /// The hats (XEP-0317); empty if the room does not support them.
    public var hats: [RoomHat]
    /// Whether it is this account.
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
