extension RoomMachine {
    /// Where I stand in a room.
    enum State: ~Copyable {
        /// Not in the room, and nothing is on its way. To `entering`.
        case outside
        /// The wish to enter is on its way; presence of others comes first, my own last (XEP-0045 §7.2.2). To `inside`,
        /// `outside` or `leaving`.
        case entering(Entering)
        /// My own presence came: I am in the room. To `leaving` or `outside`.
        case inside(Inside)
        /// The wish to leave is on its way. To `outside`, or to `entering` when I want back in.
        case leaving(Leaving)
    }

    /// The state after a presence; a copyable value, so that the data of a state can name it.
    enum Next {
        case outside
        case entering(Entering)
        case inside(Inside)
    }

    struct Entering {
        var nickname: String
        var occupants: [String: Occupant] = [:]
        var subject: RoomSubject?
        /// I left just before and the room has not confirmed it: the first own departure is about then.
        var isDepartureDue = false
    }

    struct Inside {
        var nickname: String
        var occupants: [String: Occupant]
        var subject: RoomSubject?
        /// The other nickname that I asked for.
        var wantedNickname: String?

        init(_ entering: Entering, as own: Occupant) {
            nickname = own.nickname
            occupants = entering.occupants
            occupants[own.nickname] = own
            subject = entering.subject
        }
    }

    struct Leaving {
        var nickname: String
    }
}

extension RoomMachine.State {
    init(_ next: RoomMachine.Next) {
        switch next {
        case .outside: self = .outside
        case .entering(let entering): self = .entering(entering)
        case .inside(let inside): self = .inside(inside)
        }
    }
}

extension [String: Occupant] {
    /// Enters or updates somebody; `false` when the list is full.
    mutating func place(_ occupant: Occupant, limit: Int) -> Bool {
        guard self[occupant.nickname] != nil || count < limit else { return false }
        self[occupant.nickname] = occupant
        return true
    }

    /// Gives somebody another nickname; whoever had that before is gone.
    mutating func rename(_ old: String, to new: String) -> Occupant? {
        guard old != new, var occupant = removeValue(forKey: old) else { return nil }
        occupant.nickname = new
        self[new] = occupant
        return occupant
    }
}
