public import XMPPAddress

/// What happens outside of the rooms.
public enum GroupChatEvent: Sendable, Equatable {
    /// Somebody wants me in a room.
    case invitation(RoomInvitation)
    /// Somebody whom I invited does not want to come.
    case invitationDeclined(room: JID, by: JID?, reason: String?)
}

/// Somebody wants me in a room.
public struct RoomInvitation: Sendable, Hashable {
    public var room: JID
    /// Who invites: the sender of a direct invitation; for one through the room whom the room names, an address or an
    /// occupant.
    public var inviter: JID?
    public var password: String?
    public var reason: String?
    /// Whether it came through the room (XEP-0045 §7.8.2), which then also lets me in if it is for members only.
    public var isMediated: Bool
    public var thread: String?

    public init(
        room: JID, inviter: JID?, password: String? = nil, reason: String? = nil, isMediated: Bool,
        thread: String? = nil
    ) {
        self.room = room
        self.inviter = inviter
        self.password = password
        self.reason = reason
        self.isMediated = isMediated
        self.thread = thread
    }
}
