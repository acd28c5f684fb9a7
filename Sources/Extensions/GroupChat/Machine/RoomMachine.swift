import XMPPStanzas

/// Whether I am in a room and who else is, without I/O.
///
/// The owner reports what the room sent and does what is answered. My own presence, marked with status 110, decides that I am
/// in (XEP-0045 §7.2.2); the presence of the others comes before it.
struct RoomMachine: ~Copyable, Sendable {
    /// How many occupants are kept: the largest public rooms have a few thousand, and more is an attack.
    static let occupantLimit = 16_384

    var state = State.outside

    init() {}

    init(_ state: consuming State) {
        self.state = state
    }

    // MARK: What is known

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

    /// The own nickname: that of the occupant, or the one that was asked for.
    var nickname: String? {
        switch state {
        case .outside: nil
        case .entering(let entering): entering.nickname
        case .inside(let inside): inside.nickname
        case .leaving(let leaving): leaving.nickname
        }
    }

    /// Myself, while I am in the room.
    var own: Occupant? {
        switch state {
        case .inside(let inside): inside.occupants[inside.nickname]
        case .outside: nil
        case .entering: nil
        case .leaving: nil
        }
    }

    /// Everybody in the room; empty unless I am in it.
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

// MARK: - What the owner wants

extension RoomMachine {
    /// Enters, or asks for another nickname if I am in already.
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

    /// Asks for another nickname; means nothing outside.
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

    /// Leaves. The room confirms it with the own unavailable presence.
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

    /// The room did not answer in time: whoever waited stops, and should the room have let me in after all, I am out again.
    mutating func patienceEnded() -> [RoomAction] {
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

// MARK: - What happened

extension RoomMachine {
    /// The place in the room is lost without a word of the room: with the session, or forgotten by the room.
    mutating func placeLost(_ cause: RoomDeparture.Cause) -> [RoomAction] {
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

    /// The room answered a presence of mine with an error.
    ///
    /// - Parameter nickname: the one that the presence asked for; `nil` when the room does not say it.
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
            // Some services answer from the present nickname, others from the one that was asked for.
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
