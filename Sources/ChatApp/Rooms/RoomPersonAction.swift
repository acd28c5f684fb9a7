internal import ChatEngine
internal import ChatModel
internal import Localization

/// Something that can be done with somebody in a room.
enum RoomPersonAction: String, CaseIterable {
    case talk, mention
    case giveVoice, takeVoice, makeModerator, unmakeModerator, makeMember, unmakeMember
    case kick, ban

    /// What this person may do, in the groups of a menu; nothing with oneself.
    static func allowed(with person: RoomState.Person, _ rights: RoomRights) -> [[RoomPersonAction]] {
        guard !person.isOwn else { return [] }
        var standing: [RoomPersonAction] = []
        if rights.mayGiveVoice(to: person) { standing.append(.giveVoice) }
        if rights.mayTakeVoice(from: person) { standing.append(.takeVoice) }
        if rights.mayMakeModerator(person) { standing.append(.makeModerator) }
        if rights.mayUnmakeModerator(person) { standing.append(.unmakeModerator) }
        if rights.mayMakeMember(person) { standing.append(.makeMember) }
        if rights.mayUnmakeMember(person) { standing.append(.unmakeMember) }
        var removal: [RoomPersonAction] = []
        if rights.mayKick(person) { removal.append(.kick) }
        if rights.mayBan(person) { removal.append(.ban) }
        return [[.talk, .mention], standing, removal].filter { !$0.isEmpty }
    }

    /// In a menu.
    var title: String {
        switch self {
        case .talk: localized("Talk in private")
        case .mention: localized("Mention")
        case .giveVoice: localized("Let write")
        case .takeVoice: localized("Only let listen")
        case .makeModerator: localized("Make a moderator…")
        case .unmakeModerator: localized("No longer a moderator…")
        case .makeMember: localized("Make a member…")
        case .unmakeMember: localized("No longer a member…")
        case .kick: localized("Remove from the room…")
        case .ban: localized("Ban for good…")
        }
    }

    /// What is asked before it is done.
    struct Question {
        let heading: String
        let body: String
        let answer: String
        var isGrave = false
        /// The room passes a reason on.
        var asksForReason = false
    }

    /// `nil` for what is undone as easily as it is done.
    func question(about name: String) -> Question? {
        switch self {
        case .talk, .mention, .giveVoice, .takeVoice: nil
        case .makeModerator:
            Question(
                heading: localized("Make %@ a moderator?", name),
                body: localized("Moderators can remove people and messages; it lasts until %@ leaves the room.", name),
                answer: localized("_Make a moderator"))
        case .unmakeModerator:
            Question(
                heading: localized("Is %@ to be no longer a moderator?", name),
                body: localized("%@ stays in the room like everybody else.", name),
                answer: localized("_No longer a moderator"))
        case .makeMember:
            Question(
                heading: localized("Make %@ a member?", name),
                body: localized("Members may enter whatever the room is like, until that is taken from them."),
                answer: localized("_Make a member"))
        case .unmakeMember:
            Question(
                heading: localized("Is %@ to be no longer a member?", name),
                body: localized("In a room for members only this removes %@ from the room.", name),
                answer: localized("_No longer a member"), isGrave: true)
        case .kick:
            Question(
                heading: localized("Remove %@ from the room?", name),
                body: localized("%@ can come back. The reason, if you give one, is seen by everybody.", name),
                answer: localized("_Remove"), isGrave: true, asksForReason: true)
        case .ban:
            Question(
                heading: localized("Ban %@ for good?", name),
                body: localized(
                    "%@ is removed and cannot come back. The reason, if you give one, is seen by everybody.", name),
                answer: localized("_Ban"), isGrave: true, asksForReason: true)
        }
    }
}
