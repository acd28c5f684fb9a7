public import XMPPAddress

/// Why an occupant is no longer in a room.
public struct RoomDeparture: Sendable, Hashable {
    public enum Cause: Sendable, Hashable, CaseIterable {
        /// Left, or lost the connection.
        case left
        case kicked
        case banned
        /// Lost the required membership.
        case affiliationLost
        /// The room became members-only.
        case membersOnly
        /// The service shuts down.
        case serviceShutDown
        /// Removed because of an error, such as a lost connection between servers.
        case technicalProblem
        /// The room was destroyed.
        case destroyed
        /// The session with the server was lost, and with it the occupancy.
        case sessionLost
        /// The room removed this account without notice (XEP-0410).
        case forgotten
    }

    public var cause: Cause
    /// The moderator who did it: a nickname, or an address if the room reveals it.
    public var actorNickname: String?
    public var actor: JID?
    /// The reason given.
    public var reason: String?
    /// The room to use instead of a destroyed one.
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

    /// Whether joining again automatically makes sense.
    public var isTemporary: Bool {
        switch cause {
        case .serviceShutDown, .technicalProblem, .sessionLost, .forgotten: true
        case .left, .kicked, .banned, .affiliationLost, .membersOnly, .destroyed: false
        }
    }
}

extension RoomDeparture {
    /// The cause in an unavailable presence (XEP-0045 §15.6.2). Of several status codes, the most serious one counts.
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
