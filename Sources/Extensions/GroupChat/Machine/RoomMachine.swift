import XMPPStanzas

/// The state of one room without I/O: whether this account is in it, and the other occupants.
///
/// The owner reports the room's stanzas and performs the returned actions. Our own presence, marked with status 110,
/// completes joining (XEP-0045 §7.2.2); the presences of the others arrive before it.
struct RoomMachine: ~Copyable, Sendable {
    /// The maximum number of occupants: the largest public rooms have a few thousand, and more is an attack.
    static let occupantLimit = 16_384

    var state = State.outside

    init() {}

    init(_ state: consuming State) {
        self.state = state
    }

    // MARK: State

    var isInside: Bool {
        switch state {
        case .inside: true
        case .outside: false
        case .entering: false
        case .leaving: false
        }
    }

    var isOutside: Bool {
        switch state {
        case .outside: true
        case .entering: false
        case .inside: false
        case .leaving: false
        }
    }

    /// Our nickname: the current one, or the requested one.
    var nickname: String? {
        switch state {
        case .outside: nil
        case .entering(let entering): entering.nickname
        case .inside(let inside): inside.nickname
        case .leaving(let leaving): leaving.nickname
        }
    }

    /// This account as an occupant, while it is in the room.
    var own: Occupant? {
        switch state {
        case .inside(let inside): inside.occupants[inside.nickname]
        case .outside: nil
        case .entering: nil
        case .leaving: nil
        }
    }

    /// All occupants of the room; empty unless this account is in it.
    var occupants: [String: Occupant] {
        switch state {
        case .inside(let inside): inside.occupants
        case .outside: [:]
        case .entering: [:]
        case .leaving: [:]
        }
    }

    var subject: RoomSubject? {
        switch state {
        case .inside(let inside): inside.subject
        case .outside: nil
        case .entering: nil
        case .leaving: nil
        }
    }
}

// MARK: - Commands

extension RoomMachine {
    /// Joins, or changes the nickname in a joined room.
    mutating func enter(as nickname: String) -> [RoomAction] {
        switch consume state {
        case .outside:
            self = Self(.entering(Entering(nickname: nickname)))
            return [.requestEntrance(nickname: nickname)]
        case .entering(let entering):
            guard entering.nickname != nickname else {
                self = Self(.entering(entering))
                return []
            }
            self = Self(.entering(Entering(nickname: nickname, isDepartureDue: entering.isDepartureDue)))
            return [.requestEntrance(nickname: nickname)]
        case .inside(var inside):
            let actions = inside.changeNickname(to: nickname)
            self = Self(.inside(inside))
            return actions
        case .leaving:
            self = Self(.entering(Entering(nickname: nickname, isDepartureDue: true)))
            return [.requestEntrance(nickname: nickname)]
        }
    }

    /// Changes the nickname; ignored outside of the room.
    mutating func changeNickname(to nickname: String) -> [RoomAction] {
        switch consume state {
        case .inside(var inside):
            let actions = inside.changeNickname(to: nickname)
            self = Self(.inside(inside))
            return actions
        case .outside: self = Self(.outside)
        case .entering(let entering): self = Self(.entering(entering))
        case .leaving(let leaving): self = Self(.leaving(leaving))
        }
        return []
    }

    /// Leaves. The room confirms it with our own unavailable presence.
    mutating func leave() -> [RoomAction] {
        switch consume state {
        case .outside:
            self = Self(.outside)
            return []
        case .entering(let entering):
            self = Self(.leaving(Leaving(nickname: entering.nickname)))
            return [.requestDeparture(nickname: entering.nickname)]
        case .inside(let inside):
            self = Self(.leaving(Leaving(nickname: inside.nickname)))
            return [.requestDeparture(nickname: inside.nickname)]
        case .leaving(let leaving):
            self = Self(.leaving(leaving))
            return []
        }
    }

    /// The room did not respond in time: the request fails, and if the room accepts it late, it is left again.
    mutating func timedOut() -> [RoomAction] {
        switch consume state {
        case .outside: self = Self(.outside)
        case .entering(let entering):
            self = Self(.outside)
            return [
                .requestDeparture(nickname: entering.nickname), .refused(StanzaError(.remoteServerTimeout)),
            ]
        case .inside(let inside): self = Self(.inside(inside))
        case .leaving:
            self = Self(.outside)
            return [.departed(RoomDeparture(.left))]
        }
        return []
    }
}

// MARK: - Events

extension RoomMachine {
    /// The occupancy was lost without notice: with the session, or by the room.
    mutating func occupancyLost(_ cause: RoomDeparture.Cause) -> [RoomAction] {
        switch consume state {
        case .outside:
            self = Self(.outside)
            return []
        case .entering:
            self = Self(.outside)
            return [.departed(RoomDeparture(cause))]
        case .inside:
            self = Self(.outside)
            return [.departed(RoomDeparture(cause))]
        case .leaving:
            self = Self(.outside)
            return [.departed(RoomDeparture(.left))]
        }
    }

    /// The room answered our presence with an error.
    ///
    /// - Parameter nickname: the one in the presence; `nil` if the room does not include it.
    mutating func errorReceived(_ error: StanzaError, for nickname: String?) -> [RoomAction] {
        switch consume state {
        case .outside: self = Self(.outside)
        case .entering(let entering):
            guard nickname == nil || nickname == entering.nickname else {
                self = Self(.entering(entering))
                return []
            }
            self = Self(.outside)
            return [.refused(error)]
        case .inside(var inside):
            // Some services respond from the current nickname, others from the requested one.
            guard inside.wantedNickname != nil else {
                self = Self(.inside(inside))
                return []
            }
            inside.wantedNickname = nil
            self = Self(.inside(inside))
            return [.nicknameRefused(error)]
        case .leaving:
            self = Self(.outside)
            return [.departed(RoomDeparture(.left))]
        }
        return []
    }

    mutating func subjectReceived(_ subject: RoomSubject) -> [RoomAction] {
        switch consume state {
        case .outside: self = Self(.outside)
        case .entering(var entering):
            entering.subject = subject
            self = Self(.entering(entering))
        case .inside(var inside):
            inside.subject = subject
            self = Self(.inside(inside))
            return [.subjectChanged(subject)]
        case .leaving(let leaving): self = Self(.leaving(leaving))
        }
        return []
    }

    /// The room sent the presence of an occupant.
    mutating func presenceReceived(_ presence: RoomPresence) -> [RoomAction] {
        switch consume state {
        case .outside:
            self = Self(.outside)
            return []
        case .entering(let entering):
            let (next, actions) = (consume entering).after(presence)
            self = Self(State(next))
            return actions
        case .inside(let inside):
            let (next, actions) = (consume inside).after(presence)
            self = Self(State(next))
            return actions
        case .leaving(let leaving):
            guard !presence.isAvailable, presence.newNickname == nil,
                presence.isOwn || presence.nickname == leaving.nickname
            else {
                self = Self(.leaving(leaving))
                return []
            }
            self = Self(.outside)
            return [.departed(RoomDeparture(presence))]
        }
    }
}
