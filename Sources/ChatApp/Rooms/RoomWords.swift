internal import ChatEngine
internal import ChatModel
internal import Localization

/// The lines of a room and of the people in it.
enum RoomWords {
    /// The line under the name of a room: how many are there, and what it is about.
    static func line(_ room: RoomModel) -> String {
        let place =
            room.isInside ? Wording.people(room.count) : room.isKnown ? localized("You are not in this room") : ""
        return [place, Wording.topic(room.subject)].filter { !$0.isEmpty }.joined(separator: " · ")
    }

    /// Whether somebody is there, what is said about it, and whose account it is.
    static func line(_ person: RoomState.Person) -> String {
        var parts: [String] = []
        if person.isOwn { parts.append(localized("you")) }
        let isPlainlyOnline = person.availability == .online && (person.status != nil || person.address != nil)
        if !isPlainlyOnline { parts.append(Wording.presence(person.availability)) }
        if let status = person.status { parts.append(Wording.topic(status)) }
        if let address = person.address { parts.append(address.bare.description) }
        return parts.joined(separator: " · ")
    }

    /// All of it, for screen readers.
    static func spoken(_ person: RoomState.Person) -> String {
        ([person.nickname, Wording.standing(person), line(person)].compactMap { $0 } + person.hats)
            .joined(separator: ", ")
    }
}
