import XMPPStanzas

extension RoomMachine {
    /// The state of this account in a room.
    enum State: ~Copyable {
        /// Not in the room. To `entering`.
        case outside
        /// The join request was sent; the presences of others arrive first, our own last (XEP-0045 §7.2.2). To
        /// `inside`, `outside` or `leaving`.
        case entering(Entering)
        /// Our own presence was received: joined. To `leaving` or `outside`.
        case inside(Inside)
        /// The request to leave was sent. To `outside`, or to `entering` when joining again.
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
        /// A previous departure was not confirmed yet: the first unavailable presence of ours belongs to it.
        var isDepartureDue = false
    }

    struct Inside {
        var nickname: String
        var occupants: [String: Occupant]
        var subject: RoomSubject?
        /// The requested new nickname.
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
    /// Adds or updates an occupant; `false` when the list is full.
    mutating func place(_ occupant: Occupant, limit: Int) -> Bool {
        guard self[occupant.nickname] != nil || count < limit else { return false }
        self[occupant.nickname] = occupant
        return true
    }

    /// Changes a nickname; a previous owner of it is removed.
    mutating func rename(_ old: String, to new: String) -> Occupant? {
        guard old != new, var occupant = removeValue(forKey: old) else { return nil }
        occupant.nickname = new
        self[new] = occupant
        return occupant
    }
}

/// An action to perform, or an event to report, by the owner of the machine.
enum RoomAction: Equatable, Sendable {
    /// Send the presence that requests to join.
    case requestEntrance(nickname: String)
    /// Send the presence that requests another nickname.
    case requestNickname(String)
    /// Send unavailable presence.
    case requestDeparture(nickname: String)

    /// Joined; the occupants are those that the machine lists.
    case entered(Occupant, statuses: Set<RoomUser.Status>)
    /// The join request was rejected.
    case refused(StanzaError)
    /// No longer in the room.
    case departed(RoomDeparture)
    /// The requested nickname was granted.
    case nicknameGranted(String)
    case nicknameRefused(StanzaError)

    case occupantEntered(Occupant)
    case occupantChanged(Occupant)
    case occupantRenamed(from: String, Occupant)
    case occupantLeft(Occupant, RoomDeparture)
    case subjectChanged(RoomSubject)
}

extension RoomMachine.Entering {
    /// Handles a presence while joining. Consumes the state, so that the table of occupants is modified in place:
    /// copying it for each presence would take quadratic time.
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

extension RoomMachine.Inside {
    mutating func changeNickname(to nickname: String) -> [RoomAction] {
        guard self.nickname != nickname else { return [.nicknameGranted(nickname)] }
        wantedNickname = nickname
        return [.requestNickname(nickname)]
    }

    /// Handles a presence in a joined room. Consumes the state for the same reason.
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
            // The room has assigned another nickname without announcing it.
            actions += displace(presence.nickname)
            occupants[nickname] = nil
            occupants[presence.nickname] = occupant
            actions.append(.occupantRenamed(from: nickname, occupant))
            nickname = presence.nickname
        } else {
            // A room may omit the status code when it repeats our own presence.
            if presence.nickname == nickname { occupant.isSelf = true }
            let known = occupants[presence.nickname]
            guard known != occupant, occupants.place(occupant, limit: RoomMachine.occupantLimit) else { return [] }
            actions.append(known == nil ? .occupantEntered(occupant) : .occupantChanged(occupant))
        }
        return actions + grantRequestedNickname()
    }

    private mutating func rename(_ old: String, to new: String) -> [RoomAction] {
        // No occupant can take our nickname while we are in the room; such a presence is out of order.
        guard new != nickname, occupants[old] != nil else { return [] }
        var actions = displace(new)
        if let occupant = occupants.rename(old, to: new) { actions.append(.occupantRenamed(from: old, occupant)) }
        if old == nickname { nickname = new }
        return actions + grantRequestedNickname()
    }

    /// Removes the previous owner of a nickname that another occupant gets.
    private mutating func displace(_ nickname: String) -> [RoomAction] {
        occupants.removeValue(forKey: nickname).map { [.occupantLeft($0, RoomDeparture(.left))] } ?? []
    }

    private mutating func grantRequestedNickname() -> [RoomAction] {
        guard let wanted = wantedNickname, wanted == nickname else { return [] }
        wantedNickname = nil
        return [.nicknameGranted(wanted)]
    }
}

/// The current subject of a room (XEP-0045 §8.1).
public struct RoomSubject: Sendable, Hashable {
    /// Empty if there is none.
    public var text: String
    /// The nickname of the occupant who set it; `nil` for the room itself.
    public var nickname: String?

    public init(text: String, nickname: String? = nil) {
        self.text = text
        self.nickname = nickname
    }
}
