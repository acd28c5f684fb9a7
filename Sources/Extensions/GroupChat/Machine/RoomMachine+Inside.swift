extension RoomMachine.Inside {
    mutating func changeNickname(to nickname: String) -> [RoomAction] {
        guard self.nickname != nickname else { return [.nicknameGranted(nickname)] }
        wantedNickname = nickname
        return [.requestNickname(nickname)]
    }

    /// What the presence of an occupant makes of the room. Consumes the state, as that of the wish to enter does.
    consuming func after(_ presence: RoomPresence) -> (RoomMachine.Next, [RoomAction]) {
        if let new = presence.newNickname, new != presence.nickname {
            let actions = rename(presence.nickname, to: new)
            return (.inside(consume self), actions)
        }
        if presence.isAvailable {
            let actions = update(presence)
            return (.inside(consume self), actions)
        }
        if presence.isOwn || presence.nickname == nickname {
            return (.outside, [.departed(RoomDeparture(presence))])
        }
        guard let gone = occupants.removeValue(forKey: presence.nickname) else { return (.inside(consume self), []) }
        return (.inside(consume self), [.occupantLeft(gone, RoomDeparture(presence))])
    }

    private mutating func update(_ presence: RoomPresence) -> [RoomAction] {
        var occupant = presence.occupant
        var actions: [RoomAction] = []
        if presence.isOwn, presence.nickname != nickname {
            // The room gave me another nickname without announcing it.
            actions += displace(presence.nickname)
            occupants[nickname] = nil
            occupants[presence.nickname] = occupant
            actions.append(.occupantRenamed(from: nickname, occupant))
            nickname = presence.nickname
        } else {
            // A room may leave the mark out when it tells me about myself again.
            if presence.nickname == nickname { occupant.isSelf = true }
            let known = occupants[presence.nickname]
            guard known != occupant, occupants.place(occupant, limit: RoomMachine.occupantLimit) else { return [] }
            actions.append(known == nil ? .occupantEntered(occupant) : .occupantChanged(occupant))
        }
        return actions + grantWish()
    }

    private mutating func rename(_ old: String, to new: String) -> [RoomAction] {
        // Nobody can take my nickname while I am in; what says so is out of order.
        guard new != nickname, occupants[old] != nil else { return [] }
        var actions = displace(new)
        if let occupant = occupants.rename(old, to: new) { actions.append(.occupantRenamed(from: old, occupant)) }
        if old == nickname { nickname = new }
        return actions + grantWish()
    }

    /// Whoever has a nickname that somebody else gets must be gone.
    private mutating func displace(_ nickname: String) -> [RoomAction] {
        occupants.removeValue(forKey: nickname).map { [.occupantLeft($0, RoomDeparture(.left))] } ?? []
    }

    private mutating func grantWish() -> [RoomAction] {
        guard let wanted = wantedNickname, wanted == nickname else { return [] }
        wantedNickname = nil
        return [.nicknameGranted(wanted)]
    }
}
