import XMPPStanzas

/// What the owner of a room's machine is to do or to tell.
enum RoomAction: Equatable, Sendable {
    /// Send the presence that asks to enter.
    case requestEntrance(nickname: String)
    /// Send the presence that asks for another nickname.
    case requestNickname(String)
    /// Send unavailable presence.
    case requestDeparture(nickname: String)

    /// I am in the room, with everybody whom the machine lists.
    case entered(Occupant, statuses: Set<RoomUser.Status>)
    /// The room does not let me in.
    case refused(StanzaError)
    /// I am no longer in the room.
    case departed(RoomDeparture)
    /// My wish for another nickname was granted.
    case nicknameGranted(String)
    case nicknameRefused(StanzaError)

    case occupantEntered(Occupant)
    case occupantChanged(Occupant)
    case occupantRenamed(from: String, Occupant)
    case occupantLeft(Occupant, RoomDeparture)
    case subjectChanged(RoomSubject)
}
