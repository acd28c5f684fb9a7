extension RoomMachine.Entering {
    /// What the presence of an occupant makes of the wish to enter.
    func after(_ presence: RoomPresence) -> (RoomMachine.Next, [RoomAction]) {
        var entering = self
        guard presence.isAvailable else { return afterDeparture(presence) }
        guard presence.isOwn else {
            _ = entering.occupants.place(presence.occupant, limit: RoomMachine.occupantLimit)
            return (.entering(entering), [])
        }
        let own = presence.occupant
        return (.inside(RoomMachine.Inside(self, as: own)), [.entered(own, statuses: presence.user.statuses)])
    }

    private func afterDeparture(_ presence: RoomPresence) -> (RoomMachine.Next, [RoomAction]) {
        var entering = self
        if let new = presence.newNickname {
            _ = entering.occupants.rename(presence.nickname, to: new)
        } else if presence.isOwn {
            guard entering.isDepartureDue else { return (.outside, [.departed(RoomDeparture(presence))]) }
            entering.isDepartureDue = false
        } else {
            entering.occupants[presence.nickname] = nil
        }
        return (.entering(entering), [])
    }
}
