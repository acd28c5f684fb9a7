public import XMPPClient
public import XMPPStanzas

/// Why something that was asked of a room or a service did not happen.
public struct GroupChatError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        public init(_ description: String) {
            self.description = description
        }

        /// Somebody else in the room has the nickname; try another one.
        public static let nicknameTaken = Self("nickname taken")
        /// The nickname is no valid one, or not the one registered with the room.
        public static let nicknameRefused = Self("nickname refused")
        /// The room asks for a password, or for another one.
        public static let passwordRequired = Self("password required")
        public static let membersOnly = Self("members only")
        public static let banned = Self("banned")
        /// There are as many in the room as it takes.
        public static let full = Self("full")
        /// The room does not exist, or waits to be configured by who made it.
        public static let notFound = Self("not found")
        /// The room does not exist and this account may not make rooms.
        public static let creationForbidden = Self("creation forbidden")
        /// The room is gone for good.
        public static let gone = Self("gone")
        /// The service does not answer or cannot be reached.
        public static let unreachable = Self("unreachable")
        /// I was removed while I entered.
        public static let removed = Self("removed")
        /// This needs to be in the room first.
        public static let notInside = Self("not in the room")
        /// The room does not let me do this.
        public static let refused = Self("refused")
        /// The connection to the own server is the problem; see ``GroupChatError/clientError``.
        public static let connection = Self("connection")
        public static let cancelled = Self("cancelled")
    }

    public let code: Code
    /// One sentence that says what happened and, where possible, what to do.
    public let description: String
    public let cause: (any Error)?
    /// How I was removed, for ``Code/removed``.
    public let departure: RoomDeparture?

    public init(_ code: Code, _ description: String, cause: (any Error)? = nil, departure: RoomDeparture? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
        self.departure = departure
    }

    /// What the room answered, if it did.
    public var stanzaError: StanzaError? { cause as? StanzaError ?? clientError?.stanzaError }
    /// What the session reported, if that was the cause.
    public var clientError: ClientError? { cause as? ClientError }

    static let notInside = GroupChatError(.notInside, "This is only possible in the room. Enter it first.")
    static let cancelled = GroupChatError(.cancelled, "The operation was cancelled.")

    /// What an answer to the wish to enter means (XEP-0045 §7.2.5 to §7.2.11, §7.2.16).
    init(entrance error: StanzaError) {
        let (code, sentence): (Code, String) =
            switch error.condition {
            case .conflict: (.nicknameTaken, "Somebody else in the room has this nickname. Choose another one.")
            case .notAcceptable, .jidMalformed: (.nicknameRefused, "The room does not accept this nickname.")
            case .notAuthorized: (.passwordRequired, "The room asks for a password, or for another one.")
            case .registrationRequired: (.membersOnly, "Only members may enter this room.")
            case .forbidden: (.banned, "This account is banned from the room.")
            case .serviceUnavailable: (.full, "The room is full, or there is no such service.")
            case .itemNotFound: (.notFound, "The room does not exist, or is not open yet.")
            case .notAllowed:
                (.creationForbidden, "The room does not exist, and this account may not make rooms there.")
            case .gone, .redirect: (.gone, "The room is gone.")
            case .remoteServerNotFound, .remoteServerTimeout, .recipientUnavailable:
                (.unreachable, "The room's server does not answer.")
            default: (.refused, "The room refused the entrance: \(error.description)")
            }
        self.init(code, sentence, cause: error)
    }

    init(nickname error: StanzaError) {
        switch error.condition {
        case .conflict:
            self.init(.nicknameTaken, "Somebody else in the room has this nickname. Choose another one.", cause: error)
        default: self.init(.nicknameRefused, "The room does not accept this nickname.", cause: error)
        }
    }

    /// I was removed while I entered.
    init(_ departure: RoomDeparture) {
        switch departure.cause {
        case .banned: self.init(.banned, "This account is banned from the room.", departure: departure)
        case .destroyed: self.init(.gone, "The room is gone.", departure: departure)
        case .sessionLost: self.init(.connection, "The connection was lost.", departure: departure)
        default: self.init(.removed, "The room removed me while I entered it.", departure: departure)
        }
    }

    /// A failure of the session, or a room's answer to a request.
    init(_ error: ClientError) {
        switch error.code {
        case .cancelled: self = .cancelled
        case .refused: self.init(.refused, error.sentence, cause: error)
        case .timedOut where error.streamFailure == nil:
            self.init(.unreachable, "The room's server does not answer.", cause: error)
        default: self.init(.connection, error.sentence, cause: error)
        }
    }

    /// Whether entering later, without any change, may succeed. The nickname can be taken by what is left of my own lost
    /// session, and a new room is not found before its maker has opened it.
    var isTemporary: Bool {
        switch code {
        case .unreachable, .connection, .full, .cancelled, .nicknameTaken, .notFound: true
        case .removed: departure?.isTemporary ?? false
        case .refused: stanzaError?.type == .wait
        default: false
        }
    }
}

extension GroupChatError: Equatable {
    /// Equal in everything but in the cause, of which only what the room answered counts.
    public static func == (left: GroupChatError, right: GroupChatError) -> Bool {
        left.code == right.code && left.description == right.description && left.departure == right.departure
            && left.stanzaError == right.stanzaError
    }
}
