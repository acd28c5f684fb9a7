public import XMPPAddress
public import XMPPStanzas

/// An event of a room.
public enum RoomEvent: Sendable, Equatable {
    /// Joined; ``Room/occupants`` is complete.
    case entered(Occupant, statuses: Set<RoomUser.Status>)
    /// No longer in the room.
    case departed(RoomDeparture)
    /// Joining failed, whether it was started by the program, by a bookmark, or after a lost session.
    ///
    /// Unless it is retried automatically, ``Room/visit`` is cleared.
    case entranceFailed(GroupChatError, isTriedAgain: Bool)
    case occupantEntered(Occupant)
    /// Role, affiliation, availability or status changed.
    case occupantChanged(Occupant)
    case occupantRenamed(from: String, Occupant)
    case occupantLeft(Occupant, RoomDeparture)
    case subjectChanged(RoomSubject)
    /// A message to everybody, unparsed: a text, a change of an earlier message, a subject. Our own messages are
    /// reflected (``Room/isOwn(_:)``). `MessageReader` parses it and decides which claims in it are trusted.
    case message(Message)
    /// A private message from an occupant.
    case privateMessage(Message)
    /// The configuration changed (XEP-0045 §10.2.1); request ``Room/refreshInformation()``.
    case configurationChanged(Set<RoomUser.Status>)
    /// An occupant asks for voice; answer it with ``Room/answer(_:isGranted:)``. Only moderators get it.
    case voiceRequested(VoiceRequest)
}

/// An event of one of the rooms.
public struct RoomNotice: Sendable, Equatable {
    public var room: JID
    public var event: RoomEvent

    public init(room: JID, event: RoomEvent) {
        self.room = room
        self.event = event
    }
}

/// How to join a room; kept to join it again.
public struct RoomVisit: Sendable, Equatable {
    /// What to do if the room does not exist yet.
    public enum Creation: Sendable, Equatable {
        /// Unlock it at once with the service's defaults (XEP-0045 §10.1.2).
        case withDefaults
        /// Leave it locked: `Room.configurationForm()` and `Room.configure(_:)` unlock it (§10.1.3).
        case configuring
    }

    public var nickname: String
    public var password: String?
    /// How much history the room should send; `nil` leaves it to the room.
    public var history: RoomEntrance.History?
    public var creation: Creation
    /// Whether to retry when joining fails temporarily, even the first time.
    public var isKept: Bool

    public init(
        nickname: String, password: String? = nil, history: RoomEntrance.History? = nil,
        creation: Creation = .withDefaults, isKept: Bool = false
    ) {
        self.nickname = nickname
        self.password = password
        self.history = history
        self.creation = creation
        self.isKept = isKept
    }
}
