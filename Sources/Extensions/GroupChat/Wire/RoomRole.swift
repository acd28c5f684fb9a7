/// What an occupant may do in a room while being there (XEP-0045 Multi-User Chat §5.1). Ordered by power.
public enum RoomRole: String, Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Not in the room.
    case none
    /// Listens; in a moderated room without a voice.
    case visitor
    case participant
    /// Gives and takes voice, throws others out.
    case moderator

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    public static func < (left: RoomRole, right: RoomRole) -> Bool { left.rank < right.rank }
}

/// The lasting relation of an account to a room (XEP-0045 Multi-User Chat §5.2). Ordered by power.
public enum RoomAffiliation: String, Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Banned.
    case outcast
    case none
    /// On the list of those who may enter a room for members.
    case member
    case admin
    case owner

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    public static func < (left: RoomAffiliation, right: RoomAffiliation) -> Bool { left.rank < right.rank }
}
