internal import GroupChat
internal import XMPPAddress
internal import XMPPStanzas

extension OMEMOProtection {
    /// Follows who the occupants of rooms are, where rooms say it: before anything that they write is opened.
    func presenceReceived(_ presence: Presence) {
        guard presence.type == .available || presence.type == .unavailable, let occupant = presence.from,
            !occupant.isBare,
            let user = (try? presence.payload(RoomUser.self)) ?? nil, let account = user.item?.address?.bare
        else { return }
        state.withLock { state in
            if state.occupants.count >= Self.occupantLimit { state.occupants = [:] }
            state.occupants[occupant] = account
        }
    }

    /// Occupants that are remembered: those of several large rooms.
    private static let occupantLimit = 20_000
}
