public import ChatEngine

/// What this person may do in a room, as far as role and affiliation say it (XEP-0045 §5.1.1, §5.2.1). The room has the last
/// word.
public struct RoomRights: Hashable, Sendable {
    private let own: RoomState.Person?

    init(_ own: RoomState.Person?) { self.own = own }

    /// The least standing of those who rule the room for good.
    private var isAdmin: Bool { own.map { $0.standing <= .admin } ?? false }
    private var isModerator: Bool { own.map { $0.isModerator || $0.standing <= .admin } ?? false }

    /// Rooms may let everybody change what they are about; who has a voice may try.
    public var mayChangeSubject: Bool { own?.hasVoice ?? false }
    public var mayInvite: Bool { own != nil }
    public var mayTakeBackOthersMessages: Bool { isModerator }
    public var isOwner: Bool { own?.standing == .owner }

    /// Nobody throws out who stands above, or beside among owners and admins (XEP-0045 §8.2).
    public func mayKick(_ person: RoomState.Person) -> Bool {
        isModerator && !person.isOwn && !outranks(person)
    }

    /// The account must be known, and bans last (XEP-0045 §9.1).
    public func mayBan(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.address != nil && !outranks(person)
    }

    public func mayGiveVoice(to person: RoomState.Person) -> Bool { isModerator && !person.isOwn && !person.hasVoice }

    /// Moderators cannot be silenced (XEP-0045 §8.4).
    public func mayTakeVoice(from person: RoomState.Person) -> Bool {
        isModerator && !person.isOwn && person.hasVoice && !person.isModerator && !outranks(person)
    }

    public func mayMakeModerator(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && !person.isModerator
    }

    /// The account must be known (XEP-0045 §9.3).
    public func mayMakeMember(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.address != nil && person.standing > .member
    }

    /// Who rules the room for good is a moderator as long as that lasts.
    public func mayUnmakeModerator(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.isModerator && person.standing > .admin
    }

    public func mayUnmakeMember(_ person: RoomState.Person) -> Bool {
        isAdmin && !person.isOwn && person.address != nil && person.standing == .member
    }

    private func outranks(_ person: RoomState.Person) -> Bool {
        guard let own, person.standing <= .admin else { return false }
        return own.standing == .owner ? person.standing == .owner : true
    }
}
