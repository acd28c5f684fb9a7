public import MessageFeatures
public import XMPPStanzas

/// A message that came through a room.
public struct RoomMessage: Sendable, Equatable {
    public var message: Message
    /// Who said it; `nil` when the room itself did.
    public var nickname: String?
    /// The speaker as an occupant of the moment. In history another person can have had the nickname.
    public var occupant: Occupant?
    /// Stays the same whatever the nickname, in rooms that give such identifiers (XEP-0421).
    public var occupantID: String?
    /// The identifier in the room's archive, where the room gives one (XEP-0359).
    public var archiveID: String?
    /// When it was said, if that was before I entered.
    public var delay: DelayedDelivery?
    /// Whether this device sent it in this session.
    public var isReflection: Bool
    /// What a moderator takes back with it. Only the room itself can say so.
    public var retraction: MessageRetraction?

    public init(
        message: Message, nickname: String?, occupant: Occupant? = nil, occupantID: String? = nil,
        archiveID: String? = nil, delay: DelayedDelivery? = nil, isReflection: Bool = false,
        retraction: MessageRetraction? = nil
    ) {
        self.message = message
        self.nickname = nickname
        self.occupant = occupant
        self.occupantID = occupantID
        self.archiveID = archiveID
        self.delay = delay
        self.isReflection = isReflection
        self.retraction = retraction
    }

    public var body: String? { message.body }
}
