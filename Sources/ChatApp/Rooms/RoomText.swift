internal import ChatEngine
internal import ChatModel
internal import Localization

/// The texts about a room and the people in it.
enum RoomText {
    /// The line under the name of a room: number of people and subject.
    static func line(_ room: RoomModel) -> String {
        let status =
            room.isInside ? Wording.people(room.count) : room.isKnown ? localized("You are not in this room") : ""
        return [status, Wording.topic(room.subject)].filter { !$0.isEmpty }.joined(separator: " · ")
    }

    /// The second line of a person: availability, status text and account address.
    static func line(_ person: RoomState.Person) -> String {
        var parts: [String] = []
        if person.isOwn { parts.append(localized("you")) }
        let isPlainlyOnline = person.availability == .online && (person.status != nil || person.address != nil)
        if !isPlainlyOnline { parts.append(Wording.presence(person.availability)) }
        if let status = person.status { parts.append(Wording.topic(status)) }
        if let address = person.address { parts.append(address.bare.description) }
        return parts.joined(separator: " · ")
    }

    /// The full description for screen readers.
    static func accessibilityText(_ person: RoomState.Person) -> String {
        ([person.nickname, Wording.standing(person), line(person)].compactMap { $0 } + person.hats)
            .joined(separator: ", ")
    }
}
