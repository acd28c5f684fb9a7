public import GroupChat
public import XMPPAddress
public import XMPPStanzas

/// The current state of a room.
public struct RoomState: Hashable, Sendable {
    /// The name that a room has given itself, in one line; `nil` if nothing is left.
    static func name(_ text: String) -> String? {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(nameLength)
        return line.isEmpty ? nil : String(line)
    }

    /// In characters; a longer name fills several lines.
    private static let nameLength = 128

    /// A person's affiliation, or else the role (XEP-0045 §5), in the order of display.
    public enum Standing: Int, Sendable, Hashable, Comparable, CaseIterable {
        case owner, admin, moderator, member, participant
        /// Without voice in a moderated room.
        case visitor

        public static func < (left: Standing, right: Standing) -> Bool { left.rawValue < right.rawValue }
    }

    /// A person in the room.
    public struct Person: Hashable, Sendable {
        public var nickname: String
        /// The occupant id (XEP-0421).
        public var id: String?
        /// The account, if the room reveals it.
        public var address: JID?
        public var standing: Standing
        public var isModerator: Bool
        /// Whether the person may write (XEP-0045 §5.1).
        public var hasVoice: Bool
        public var isOwn: Bool
        /// Online, away or busy.
        public var availability: ContactPresence.Section
        public var status: String?
        /// The hats of the person, such as teacher (XEP-0317).
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

        /// Whether “@all” of this person addresses everybody. Anybody else would wake a room of strangers.
        public var mayAddressEverybody: Bool { isModerator || standing <= .admin }

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
    /// Sorted by nickname.
    public var people: [Person]
    /// Why this account is not in the room, unless it left by itself.
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

extension GroupChatError.Code {
    /// A room with that address exists already, so none was created.
    public static let alreadyThere = Self("already there")
}

/// Why an operation on a room failed.
public typealias RoomFailure = GroupChatError

/// Why an account is not in a room that it should be in.
public struct RoomAbsence: Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        /// The account was in the room.
        case departure(RoomDeparture)
        /// Joining failed. The condition is that of the room's error, if there was one.
        case failure(RoomFailure.Code, StanzaError.Condition?)
    }

    public let cause: Cause
    /// Whether joining is retried automatically.
    public let isTriedAgain: Bool

    /// - Returns: `nil` if this account left by itself.
    public init?(_ departure: RoomDeparture) {
        if case .left = departure.cause { return nil }
        cause = .departure(departure)
        isTriedAgain = departure.isTemporary
    }

    init(_ error: RoomFailure, isTriedAgain: Bool) {
        cause = .failure(error.code, error.stanzaError?.condition)
        self.isTriedAgain = isTriedAgain
    }
}

/// The settings of a new room.
public struct RoomSettings: Hashable, Sendable {
    /// Who may join, and who finds the room.
    public enum Access: Sendable, Hashable, CaseIterable {
        /// The service's defaults.
        case standard
        /// Only members and invited users; it is not listed, and everybody sees the real addresses.
        case membersOnly
        /// Everybody; it is listed by the service.
        case everybody
    }

    /// The name; empty for the one from the address.
    public var name: String
    public var access: Access

    public init(name: String = "", access: Access = .membersOnly) {
        self.name = name
        self.access = access
    }

    /// The fields of the owner's form (XEP-0045 §10.1.3, §15.5.3); fields unknown to the service are left out.
    var fields: [String: [String]] {
        var fields: [String: [String]] = [:]
        func set(_ name: String, _ value: String) { fields["muc#roomconfig_" + name] = [value] }
        if !name.isEmpty { set("roomname", name) }
        switch access {
        case .standard: break
        case .membersOnly:
            set("persistentroom", "1")
            set("membersonly", "1")
            set("publicroom", "0")
            set("whois", "anyone")
            set("allowinvites", "1")
        case .everybody:
            set("persistentroom", "1")
            set("membersonly", "0")
            set("publicroom", "1")
        }
        return fields
    }
}
