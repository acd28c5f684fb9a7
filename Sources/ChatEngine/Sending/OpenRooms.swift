internal import ChatStore
internal import XMPPAddress

/// The rooms in which something can be said, and how much at a time.
struct OpenRooms: Sendable {
    private(set) var open: Set<JID> = []
    /// Open rooms that have sent a message back since they were opened. In the others one message goes at a time: a room that
    /// has just been entered, on a server that has just come back, may refuse one and take the next.
    private var proven: Set<JID> = []

    mutating func opened(_ room: JID) {
        open.insert(room.bare)
        proven.remove(room.bare)
    }

    mutating func closed(_ room: JID) { open.remove(room.bare) }

    /// Nobody has what a room was given any more.
    mutating func answered(_ room: JID) { if open.contains(room.bare) { proven.insert(room.bare) } }

    /// The session is another one.
    mutating func sessionBegan() { proven = [] }

    func readiness(of key: ConversationKey) -> SendPlan.Readiness {
        guard key.kind != .direct else { return .open }
        guard open.contains(key.address.bare) else { return .closed }
        return proven.contains(key.address.bare) ? .open : .oneByOne
    }
}
