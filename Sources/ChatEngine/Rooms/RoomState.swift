internal import GroupChat
public import XMPPAddress
internal import XMPPStanzas

/// A room as it is now.
public struct RoomState: Hashable, Sendable {
    /// What somebody is in the room: the lasting relation first, then the role at the moment (XEP-0045 §5). In the order in
    /// which people are shown.
    public enum Standing: Int, Sendable, Hashable, Comparable, CaseIterable {
        case owner, admin, moderator, member, participant
        /// Listens, and has no voice in a moderated room.
        case visitor

        public static func < (left: Standing, right: Standing) -> Bool { left.rawValue < right.rawValue }
    }

    /// Somebody who is in the room.
    public struct Person: Hashable, Sendable {
        public var nickname: String
        /// The lasting name in this room (XEP-0421).
        public var id: String?
        /// The account, where the room tells.
        public var address: JID?
        public var standing: Standing
        public var isModerator: Bool
        /// Without voice nobody hears it (XEP-0045 §5.1).
        public var hasVoice: Bool
        public var isOwn: Bool
        /// Whether it is there, away or busy.
        public var availability: ContactPresence.Section
        public var status: String?
        /// What else this person is there, such as a teacher (XEP-0317).
        public var hats: [String]

        public init(
            nickname: String, id: String? = nil, address: JID? = nil, standing: Standing = .participant,
            isModerator: Bool = false, hasVoice: Bool = true, isOwn: Bool = false,
            availability: ContactPresence.Section = .online, status: String? = nil, hats: [String] = []
        ) {
            self.nickname = nickname
            self.id = id
            self.address = address
            self.standing = standing
            self.isModerator = isModerator
            self.hasVoice = hasVoice
            self.isOwn = isOwn
            self.availability = availability
            self.status = status
            self.hats = hats
        }

        init(_ occupant: Occupant) {
            let standing: Standing =
                switch (occupant.affiliation, occupant.role) {
                case (.owner, _): .owner
                case (.admin, _): .admin
                case (_, .moderator): .moderator
                case (.member, _): .member
                case (_, .visitor), (_, .none): .visitor
                case (_, .participant): .participant
                }
            let availability: ContactPresence.Section =
                switch occupant.show {
                case nil, .chat: .online
                case .away, .extendedAway, .doNotDisturb: .away
                }
            self.init(
                nickname: occupant.nickname, id: occupant.id, address: occupant.address, standing: standing,
                isModerator: occupant.role == .moderator,
                hasVoice: occupant.role != .visitor && occupant.role != RoomRole.none, isOwn: occupant.isSelf,
                availability: availability, status: occupant.status.flatMap { $0.isEmpty ? nil : $0 },
                hats: occupant.hats.map(\.title))
        }
    }

    public var isInside: Bool
    public var nickname: String?
    public var subject: String?
    /// By nickname.
    public var people: [Person]
    /// Why this account is not inside, where it did not leave by itself.
    public var absence: RoomAbsence?

    public init(
        isInside: Bool, nickname: String? = nil, subject: String? = nil, people: [Person] = [],
        absence: RoomAbsence? = nil
    ) {
        self.isInside = isInside
        self.nickname = nickname
        self.subject = subject
        self.people = people
        self.absence = absence
    }

    public static let outside = RoomState(isInside: false)
}
