public import XMPPAddress

/// Something that happens in one of the rooms.
public struct RoomNotice: Sendable, Equatable {
    public var room: JID
    public var event: RoomEvent

    public init(room: JID, event: RoomEvent) {
        self.room = room
        self.event = event
    }
}
