public import XMPPAddress

/// An event outside of the rooms.
public enum GroupChatEvent: Sendable, Equatable {
    /// An invitation into a room.
    case invitation(RoomInvitation)
    /// An invitation sent by this account was declined.
    case invitationDeclined(room: JID, by: JID?, reason: String?)
}

/// An invitation into a room.
public struct RoomInvitation: Sendable, Hashable {
    public var room: JID
    /// The sender of a direct invitation; for one sent through the room, the address or occupant named by the room.
    public var inviter: JID?
    public var password: String?
    public var reason: String?
    /// Whether it was sent through the room (XEP-0045 §7.8.2), which then also admits the invited user if it is
    /// members-only.
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

/// The automatic behaviour.
public struct GroupChatPolicy: Sendable {
    /// Whether rooms are joined again when the occupancy was lost unintentionally.
    public var returns = true
    /// The time without traffic after which a self-ping is sent (XEP-0410 §3.1 suggests 15 minutes).
    public var silenceLimit = Duration.seconds(900)
    /// How often rooms are checked for silence, and failed joins are retried.
    public var inspectionInterval = Duration.seconds(60)
    /// The timeout of joining: a large room first sends thousands of presences.
    public var entranceTimeout = Duration.seconds(60)

    public init() {}
}
