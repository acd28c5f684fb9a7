public import XMPPClient
public import XMPPStanzas

/// Why an operation on a room or a service failed.
public struct GroupChatError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        public init(_ description: String) {
            self.description = description
        }

        /// The nickname is in use; try another one.
        public static let nicknameTaken = Self("nickname taken")
        /// The nickname is invalid, or not the one registered with the room.
        public static let nicknameRefused = Self("nickname refused")
        /// The password is missing or wrong.
        public static let passwordRequired = Self("password required")
        public static let membersOnly = Self("members only")
        public static let banned = Self("banned")
        /// The room is full.
        public static let full = Self("full")
        /// The room does not exist, or is locked until its creator configures it.
        public static let notFound = Self("not found")
        /// The address is that of a person or of a server without rooms.
        public static let notARoom = Self("not a room")
        /// The room does not exist and this account may not create rooms.
        public static let creationForbidden = Self("creation forbidden")
        /// The room was destroyed.
        public static let gone = Self("gone")
        /// The service does not respond or cannot be reached.
        public static let unreachable = Self("unreachable")
        /// Removed while joining.
        public static let removed = Self("removed")
        /// Only possible in a joined room.
        public static let notInside = Self("not in the room")
        /// The room refuses the operation.
        public static let refused = Self("refused")
        /// The connection to the account's server failed; see ``GroupChatError/clientError``.
        public static let connection = Self("connection")
        public static let cancelled = Self("cancelled")
    }

    public let code: Code
    /// One sentence that says what happened and, where possible, what to do.
    public let description: String
    public let cause: (any Error)?
    /// How the account was removed, for ``Code/removed``.
    public let departure: RoomDeparture?

    public init(_ code: Code, _ description: String, cause: (any Error)? = nil, departure: RoomDeparture? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
        self.departure = departure
    }

    /// The error of the room, if there was one.
    public var stanzaError: StanzaError? { cause as? StanzaError ?? clientError?.stanzaError }
    /// The error of the session, if it was the cause.
    public var clientError: ClientError? { cause as? ClientError }

    static let notInside = GroupChatError(.notInside, "This is only possible in the room. Enter it first.")
    static let notARoom = GroupChatError(.notARoom, "This is not the address of a room.")
    static let cancelled = GroupChatError(.cancelled, "The operation was cancelled.")

    /// The meaning of an error in response to a join request (XEP-0045 §7.2.5 to §7.2.11, §7.2.16).
    init(entrance error: StanzaError) {
        let (code, message): (Code, String) =
            switch error.condition {
            case .conflict: (.nicknameTaken, "Another occupant of the room has this nickname. Choose another one.")
            case .notAcceptable, .jidMalformed: (.nicknameRefused, "The room does not accept this nickname.")
            case .notAuthorized: (.passwordRequired, "The room needs a password, or the password is wrong.")
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
        self.init(code, message, cause: error)
    }

    init(nickname error: StanzaError) {
        switch error.condition {
        case .conflict:
            self.init(
                .nicknameTaken, "Another occupant of the room has this nickname. Choose another one.", cause: error)
        default: self.init(.nicknameRefused, "The room does not accept this nickname.", cause: error)
        }
    }

    /// Removed while joining.
    init(_ departure: RoomDeparture) {
        switch departure.cause {
        case .banned: self.init(.banned, "This account is banned from the room.", departure: departure)
        case .destroyed: self.init(.gone, "The room is gone.", departure: departure)
        case .sessionLost: self.init(.connection, "The connection was lost.", departure: departure)
        default: self.init(.removed, "The room removed me while I entered it.", departure: departure)
        }
    }

    /// A failure of the session, or an error of the room.
    init(_ error: ClientError) {
        switch error.code {
        case .cancelled: self = .cancelled
        case .refused: self.init(.refused, error.message, cause: error)
        case .timedOut where error.streamFailure == nil:
            self.init(.unreachable, "The room's server does not answer.", cause: error)
        default: self.init(.connection, error.message, cause: error)
        }
    }

    /// Whether joining later, without a change, may succeed. The nickname may be in use by a previous session of this
    /// account, and a new room is not found before its creator has unlocked it.
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
    /// Compares everything except the cause, of which only the error of the room is compared.
    public static func == (left: GroupChatError, right: GroupChatError) -> Bool {
        left.code == right.code && left.description == right.description && left.departure == right.departure
            && left.stanzaError == right.stanzaError
    }
}
