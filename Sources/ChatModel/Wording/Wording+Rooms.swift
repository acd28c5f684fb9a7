public import ChatEngine
public import ChatStore
public import GroupChat
internal import Localization
internal import XMPPStanzas

/// Texts about rooms: why the account is not in one, subjects, people.
extension Wording {
    public static func failure(_ error: RoomFailure) -> String { failure(error.code, error.stanzaError?.condition) }

    private static func failure(_ code: RoomFailure.Code, _ condition: StanzaError.Condition?) -> String {
        switch code {
        case .nicknameTaken: localized("Another occupant of the room has this nickname. Choose another one.")
        case .nicknameRefused: localized("The room does not accept this nickname. Choose another one.")
        case .passwordRequired: localized("The room needs a password, or the password is wrong.")
        case .membersOnly: localized("Only members may join this room. Ask an occupant for an invitation.")
        case .banned: localized("You are banned from this room.")
        case .full: localized("The room is full. Try again later.")
        case .notFound: localized("There is no such room.")
        case .notARoom: localized("There is no room at this address; it may be that of a person.")
        case .alreadyThere: localized("There is a room of this name already. Choose another one, or join it.")
        case .creationForbidden: localized("The service does not allow you to create rooms.")
        case .gone: localized("The room is gone.")
        case .unreachable: localized("The room's server does not answer. Check the address, or try again later.")
        case .removed: localized("You were removed while you entered the room.")
        case .notInside: localized("This is only possible in the room. Join it first.")
        case .refused: refusal(condition)
        case .connection, .cancelled: localized("This needs a connection; try again when the account is online.")
        default: localized("Couldn't do that.")
        }
    }

    private static func refusal(_ condition: StanzaError.Condition?) -> String {
        switch condition {
        case nil, .forbidden?, .notAllowed?, .notAuthorized?: localized("The room does not allow it.")
        case .itemNotFound?: localized("There is no occupant with this name in the room.")
        default: localized("The room refused it.")
        }
    }

    /// Whom a message with “@all” or “@here” notifies.
    ///
    /// - Parameter isAllowed: whether its author may address everybody in the room.
    public static func everybody(_ mention: EverybodyMention, isAllowed: Bool) -> String {
        switch (mention, isAllowed) {
        case (.all, true): localized("Everyone in the room is notified.")
        case (.here, true): localized("Everyone who is in the room now is notified.")
        case (_, false): localized("Only moderators can notify everyone in the room.")
        }
    }

    /// Why the account is not in a room.
    public static func absence(_ absence: RoomAbsence) -> String {
        switch absence.cause {
        case .failure(let code, let condition): failure(code, condition)
        case .departure(let departure):
            departure.reason.flatMap { $0.isEmpty ? nil : Self.departure(departure) + " " + localized("“%@”", $0) }
                ?? Self.departure(departure)
        }
    }

    private static func departure(_ departure: RoomDeparture) -> String {
        switch departure.cause {
        case .left: localized("You are not in this room.")
        case .kicked:
            departure.actorNickname.map { localized("%@ has removed you from the room.", $0) }
                ?? localized("You were removed from the room.")
        case .banned:
            departure.actorNickname.map { localized("%@ has banned you from the room.", $0) }
                ?? localized("You were banned from the room.")
        case .affiliationLost: localized("You are no longer a member of this room.")
        case .membersOnly: localized("The room is only for its members now.")
        case .serviceShutDown: localized("The room's server shuts down.")
        case .technicalProblem, .forgotten: localized("You left the room because of a technical problem.")
        case .destroyed:
            departure.alternative.map { localized("The room was closed; it continues at %@.", $0) }
                ?? localized("The room was closed.")
        case .sessionLost: localized("The connection was lost.")
        }
    }

    /// A background failure.
    public static func problem(_ problem: AccountProblem) -> String {
        switch problem {
        case .store(let error): failure(error)
        case .room(let room, let error): "\(room): \(failure(error))"
        case .removed(let room, let cause): "\(room): \(departure(cause))"
        case .requestsOmitted(let count):
            localized("There are too many contact requests: %@ are not shown.", count)
        case .forgedArchive(let room):
            localized("The archive of %@ contains messages that were not sent there. They were ignored.", room)
        case .session(let error): failure(any: error)
        }
    }

    // MARK: Rooms

    /// An invitation: the inviter, the room and the message.
    public static func invitation(_ row: RoomInvitationRow, withReason: Bool = true) -> String {
        let sentence =
            row.inviterName.map { localized("%@ invites you to the room %@.", $0, row.roomName) }
            ?? localized("You are invited to the room %@.", row.roomName)
        guard withReason, let reason = row.reason, !reason.isEmpty else { return sentence }
        return filled("%@ %@", with: [sentence, localized("“%@”", reason)])
    }

    /// The number of people in a room.
    public static func people(_ count: Int) -> String {
        localized("%@ person", plural: "%@ people", count: count)
    }

    /// The subject of a room in one line.
    public static func topic(_ subject: String?) -> String {
        (subject ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// A standing in the list of a room; `nil` for none.
    public static func standing(_ standing: RoomAffiliate.Standing?) -> String {
        switch standing {
        case .owner: localized("Owner")
        case .admin: localized("Admin")
        case .member: localized("Member")
        case .banned: localized("Banned")
        case nil: localized("None")
        }
    }

    /// A person's role in the room; `nil` for none.
    public static func standing(_ person: RoomState.Person) -> String? {
        switch person.standing {
        case .owner: localized("Owner")
        case .admin: localized("Admin")
        case .moderator: localized("Moderator")
        case .member: person.isModerator ? localized("Moderator") : localized("Member")
        case .participant: nil
        case .visitor: localized("No voice")
        }
    }
}
