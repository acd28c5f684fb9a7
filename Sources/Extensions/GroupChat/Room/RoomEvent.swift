public import XMPPStanzas

/// What happens in a room.
public enum RoomEvent: Sendable, Equatable {
    /// I am in the room, with everybody in ``Room/occupants``.
    case entered(Occupant, statuses: Set<RoomUser.Status>)
    /// I am no longer in the room.
    case departed(RoomDeparture)
    /// The room could not be entered, whoever wanted it: the program, a bookmark, or the return after a lost session.
    ///
    /// Unless it is tried again by itself, ``Room/visit`` is forgotten.
    case entranceFailed(GroupChatError, isTriedAgain: Bool)
    case occupantEntered(Occupant)
    /// Role, affiliation, availability or status changed.
    case occupantChanged(Occupant)
    case occupantRenamed(from: String, Occupant)
    case occupantLeft(Occupant, RoomDeparture)
    case subjectChanged(RoomSubject)
    /// The room sent a message to everybody, unread: a text, a change of an earlier message, a subject. What I sent comes back when
    /// the room has it (``Room/isOwn(_:)``). `MessageReader` says what it means, and whose claims in it are believed.
    case message(Message)
    /// An occupant said something to me alone.
    case privateMessage(Message)
    /// The configuration changed (XEP-0045 §10.2.1); ask for ``Room/refreshInformation()``.
    case configurationChanged(Set<RoomUser.Status>)
}
