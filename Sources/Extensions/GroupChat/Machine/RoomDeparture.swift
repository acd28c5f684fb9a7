public import XMPPAddress

/// Why somebody is no longer in a room.
public struct RoomDeparture: Sendable, Hashable {
    public enum Cause: Sendable, Hashable {
        /// Went away, or lost the connection as far as the room knows.
        case left
        case kicked
        case banned
        /// Lost the membership that the room asks for.
        case affiliationLost
        /// The room became one for members only.
        case membersOnly
        /// The service shuts down.
        case serviceShutDown
        /// The room removed somebody because of an error, such as a lost connection between servers.
        case technicalProblem
        /// The room is gone for good.
        case destroyed
        /// The own session with the server was lost, and the place in the room with it.
        case sessionLost
        /// The room has forgotten me without a word (XEP-0410).
        case forgotten
    }

    public var cause: Cause
    /// Who did it: a nickname, or an address where the room tells it.
    public var actorNickname: String?
    public var actor: JID?
    /// What was said about it.
    public var reason: String?
    /// Where to go instead of a destroyed room.
    public var alternative: JID?
    public var alternativePassword: String?

    public init(
        _ cause: Cause, actorNickname: String? = nil, actor: JID? = nil, reason: String? = nil,
        alternative: JID? = nil, alternativePassword: String? = nil
    ) {
        self.cause = cause
        self.actorNickname = actorNickname
        self.actor = actor
        self.reason = reason
        self.alternative = alternative
        self.alternativePassword = alternativePassword
    }

    /// Whether it makes sense to enter again without asking anybody.
    public var isTemporary: Bool {
        switch cause {
        case .serviceShutDown, .technicalProblem, .sessionLost, .forgotten: true
        case .left, .kicked, .banned, .affiliationLost, .membersOnly, .destroyed: false
        }
    }
}

extension RoomDeparture {
    /// What an unavailable presence says (XEP-0045 §15.6.2). Several numbers can stand together; the gravest counts.
    init(_ presence: RoomPresence) {
        let user = presence.user
        if let destruction = user.destruction {
            self.init(
                .destroyed, reason: destruction.reason, alternative: destruction.alternative,
                alternativePassword: destruction.password)
            return
        }
        let causes: [(RoomUser.Status, Cause)] = [
            (.banned, .banned), (.shutDown, .serviceShutDown), (.technical, .technicalProblem),
            (.membersOnly, .membersOnly), (.affiliationChanged, .affiliationLost), (.kicked, .kicked),
        ]
        let cause = causes.first { user.statuses.contains($0.0) }?.1 ?? .left
        self.init(
            cause, actorNickname: user.item?.actorNickname, actor: user.item?.actor,
            reason: user.item?.reason ?? presence.status)
    }
}
