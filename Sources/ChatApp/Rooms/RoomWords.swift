internal import ChatEngine
internal import ChatModel
internal import Localization

/// What there is to say about a room and the people in it.
enum RoomWords {
    /// Who invites into which room, and what was said with it.
    static func invitation(_ row: RoomInvitationRow, withReason: Bool = true) -> String {
        let sentence =
            row.inviterName.map { localized("%@ invites you to the room %@.", $0, row.roomName) }
            ?? localized("You are invited to the room %@.", row.roomName)
        guard withReason, let reason = row.reason, !reason.isEmpty else { return sentence }
        return filled("%@ %@", with: [sentence, "“\(reason)”"])
    }

    /// The line under the name of a room: how many are there, and what it is about.
    static func line(_ room: RoomModel) -> String {
        let place = room.isInside ? people(room.count) : room.isKnown ? localized("You are not in this room") : ""
        return [place, topic(room.subject)].filter { !$0.isEmpty }.joined(separator: " · ")
    }

    static func people(_ count: Int) -> String {
        localized("%@ person", plural: "%@ people", count: count)
    }

    /// In one line.
    static func topic(_ subject: String?) -> String {
        (subject ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// What somebody is in the room; nothing for the many who are nothing special.
    static func standing(_ person: RoomState.Person) -> String? {
        switch person.standing {
        case .owner: localized("Owner")
        case .admin: localized("Admin")
        case .moderator: localized("Moderator")
        case .member: person.isModerator ? localized("Moderator") : localized("Member")
        case .participant: nil
        case .visitor: localized("Listener")
        }
    }

    /// Whether somebody is there, what is said about it, and whose account it is.
    static func line(_ person: RoomState.Person) -> String {
        var parts: [String] = []
        if person.isOwn { parts.append(localized("you")) }
        switch person.availability {
        case .online: if person.status == nil, person.address == nil { parts.append(localized("online")) }
        case .away: parts.append(localized("away"))
        case .offline: parts.append(localized("offline"))
        }
        if let status = person.status { parts.append(topic(status)) }
        if let address = person.address { parts.append(address.bare.description) }
        return parts.joined(separator: " · ")
    }

    /// All of it, for screen readers.
    static func spoken(_ person: RoomState.Person) -> String {
        ([person.nickname, standing(person), line(person)].compactMap { $0 } + person.hats).joined(separator: ", ")
    }
}
