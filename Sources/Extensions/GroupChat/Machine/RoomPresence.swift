import MessagePayloads
import XMPPStanzas

/// What one presence of an occupant says, as the machine needs it.
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

    /// `nil` for what is no presence of an occupant: without a nickname, of another type, or without the room's own word.
    ///
    /// - Parameters:
    ///   - trustsIdentifiers: whether the room announces occupant identifiers (XEP-0421 §5).
    ///   - trustsHats: whether it announces hats (XEP-0317).
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

    /// The nickname that somebody takes (XEP-0045 §7.6), if this says so.
    var newNickname: String? {
        !isAvailable && user.statuses.contains(.renamed) ? user.item?.nickname : nil
    }
}
