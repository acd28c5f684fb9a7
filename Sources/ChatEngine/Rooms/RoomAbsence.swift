internal import GroupChat
internal import Localization

/// Why an account is not in a room that it wanted to be in.
public struct RoomAbsence: Hashable, Sendable {
    /// What happened, as a sentence in the person's language.
    public let sentence: String
    /// It is tried again without anybody's help.
    public let isTriedAgain: Bool

    public init(_ sentence: String, isTriedAgain: Bool = false) {
        self.sentence = sentence
        self.isTriedAgain = isTriedAgain
    }

    /// - Returns: `nil` where this account has left of its own will.
    init?(_ departure: RoomDeparture) {
        let words: String
        switch departure.cause {
        case .left: return nil
        case .kicked:
            words =
                departure.actorNickname.map { localized("%@ has removed you from the room.", $0) }
                ?? localized("You were removed from the room.")
        case .banned:
            words =
                departure.actorNickname.map { localized("%@ has banned you from the room.", $0) }
                ?? localized("You were banned from the room.")
        case .affiliationLost: words = localized("You are no longer a member of this room.")
        case .membersOnly: words = localized("The room is only for its members now.")
        case .serviceShutDown: words = localized("The room's server shuts down.")
        case .technicalProblem: words = localized("The room has lost you because of a technical problem.")
        case .destroyed:
            words =
                departure.alternative.map { localized("The room was closed; it goes on at %@.", $0) }
                ?? localized("The room was closed.")
        case .sessionLost: words = localized("The connection was lost.")
        case .forgotten: words = localized("The room has lost you because of a technical problem.")
        }
        let said = departure.reason.flatMap { $0.isEmpty ? nil : $0 }
        self.init(said.map { "\(words) “\($0)”" } ?? words, isTriedAgain: departure.isTemporary)
    }

    init(_ error: GroupChatError, isTriedAgain: Bool) {
        self.init(error.words, isTriedAgain: isTriedAgain)
    }
}
