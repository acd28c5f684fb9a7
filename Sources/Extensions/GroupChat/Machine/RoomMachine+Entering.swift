extension RoomMachine.Entering {
    /// What the presence of an occupant makes of the wish to enter. Consumes the state, so that the table of occupants is
    /// changed where it is: copied with each presence, it would cost the square of their number.
    consuming func after(_ presence: RoomPresence) -> (RoomMachine.Next, [RoomAction]) {
        guard presence.isAvailable else { return (consume self).afterDeparture(presence) }
        guard presence.isOwn else {
            _ = occupants.place(presence.occupant, limit: RoomMachine.occupantLimit)
            return (.entering(consume self), [])
        }
        let own = presence.occupant
        return (.inside(RoomMachine.Inside(consume self, as: own)), [.entered(own, statuses: presence.user.statuses)])
    }

    private consuming func afterDeparture(_ presence: RoomPresence) -> (RoomMachine.Next, [RoomAction]) {
        if let new = presence.newNickname {
            _ = occupants.rename(presence.nickname, to: new)
        } else if presence.isOwn {
            guard isDepartureDue else { return (.outside, [.departed(RoomDeparture(presence))]) }
            isDepartureDue = false
        } else {
            occupants[presence.nickname] = nil
        }
        return (.entering(consume self), [])
    }
}
