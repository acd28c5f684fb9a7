/// How I want to be in a room; kept to enter it again.
public struct RoomVisit: Sendable, Equatable {
    /// What to do when the room does not exist yet.
    public enum Creation: Sendable, Equatable {
        /// Open it at once with the defaults of the service (XEP-0045 §10.1.2).
        case withDefaults
        /// Leave it locked: `Room.configurationForm()` and `Room.configure(_:)` open it (§10.1.3).
        case configuring
    }

    public var nickname: String
    public var password: String?
    /// How much of what was said before the room shall send; `nil` leaves it to the room.
    public var history: RoomEntrance.History?
    public var creation: Creation
    /// Whether to try again by itself when the room cannot be entered for the moment, even at the first time.
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
