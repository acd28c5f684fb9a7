public import ChatEngine
public import GroupChat
internal import Localization
internal import XMPPStanzas

/// Rooms: why one is not inside, and what is said about a room and the people in it.
extension Wording {
    public static func failure(_ error: RoomFailure) -> String { failure(error.code, error.stanzaError?.condition) }

    private static func failure(_ code: RoomFailure.Code, _ condition: StanzaError.Condition?) -> String {
        switch code {
        case .nicknameTaken: localized("Somebody else in the room has this nickname. Choose another one.")
        case .nicknameRefused: localized("The room does not accept this nickname. Choose another one.")
        case .passwordRequired: localized("The room asks for a password, or for another one.")
        case .membersOnly: localized("Only members may enter this room. Ask somebody inside for an invitation.")
        case .banned: localized("You are banned from this room.")
        case .full: localized("The room is full. Try again later.")
        case .notFound: localized("There is no such room.")
        case .alreadyThere: localized("There is a room of this name already. Choose another one, or join it.")
        case .creationForbidden: localized("The service does not let you make rooms.")
        case .gone: localized("The room is gone.")
        case .unreachable: localized("The room's server does not answer. Check the address, or try again later.")
        case .removed: localized("You were removed while you entered the room.")
        case .notInside: localized("This is only possible inside of the room. Enter it first.")
        case .refused: refusal(condition)
        case .connection, .cancelled: localized("This needs a connection; try again when the account is online.")
        default: localized("It did not work.")
        }
    }

    private static func refusal(_ condition: StanzaError.Condition?) -> String {
        switch condition {
        case nil, .forbidden?, .notAllowed?, .notAuthorized?: localized("The room does not allow it.")
        case .itemNotFound?: localized("There is nobody of this name in the room.")
        default: localized("The room refused it.")
        }
    }

    /// Why this account is not in a room that it wanted to be in.
    public static func absence(_ absence: RoomAbsence) -> String {
        switch absence.cause {
        case .failure(let code, let condition): failure(code, condition)
        case .departure(let departure):
            departure.reason.flatMap { $0.isEmpty ? nil : "\(Self.departure(departure)) “\($0)”" }
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
        case .technicalProblem, .forgotten: localized("The room has lost you because of a technical problem.")
        case .destroyed:
            departure.alternative.map { localized("The room was closed; it goes on at %@.", $0) }
                ?? localized("The room was closed.")
        case .sessionLost: localized("The connection was lost.")
        }
    }

    /// What did not work although nobody asked for it.
    public static func problem(_ problem: AccountProblem) -> String {
        switch problem {
        case .store(let error): failure(error)
        case .room(let room, let error): "\(room): \(failure(error))"
        case .removed(let room, let cause): "\(room): \(departure(cause))"
        case .requestsOmitted(let count):
            localized("There are too many contact requests: %@ are not shown.", count)
        case .forgedArchive(let room):
            localized("The archive of %@ holds messages that were not said there. They were ignored.", room)
        case .session(let error): failure(any: error)
        }
    }

    // MARK: About a room

    /// Who invites into which room, and what was said with it.
    public static func invitation(_ row: RoomInvitationRow, withReason: Bool = true) -> String {
        let sentence =
            row.inviterName.map { localized("%@ invites you to the room %@.", $0, row.roomName) }
            ?? localized("You are invited to the room %@.", row.roomName)
        guard withReason, let reason = row.reason, !reason.isEmpty else { return sentence }
        return filled("%@ %@", with: [sentence, "“\(reason)”"])
    }

    /// How many are in a room.
    public static func people(_ count: Int) -> String {
        localized("%@ person", plural: "%@ people", count: count)
    }

    /// The subject of a room in one line.
    public static func topic(_ subject: String?) -> String {
        (subject ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// What somebody is in the room; nothing for the many who are nothing special.
    public static func standing(_ person: RoomState.Person) -> String? {
        switch person.standing {
        case .owner: localized("Owner")
        case .admin: localized("Admin")
        case .moderator: localized("Moderator")
        case .member: person.isModerator ? localized("Moderator") : localized("Member")
        case .participant: nil
        case .visitor: localized("Listener")
        }
    }
}
