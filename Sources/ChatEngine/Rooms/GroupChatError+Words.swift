public import GroupChat
internal import Localization

extension GroupChatError.Code {
    /// A room of that address is there already, and was not made.
    public static let alreadyThere = Self("already there")
}

/// Why something that was asked of a room did not happen; `words` says it to a person.
public typealias RoomFailure = GroupChatError

extension GroupChatError {
    /// What happened and, where possible, what to do, as a sentence in the person's language.
    public var words: String {
        switch code {
        case .nicknameTaken: localized("Somebody else in the room has this nickname. Choose another one.")
        case .nicknameRefused: localized("The room does not accept this nickname. Choose another one.")
        case .passwordRequired: localized("The room asks for a password, or for another one.")
        case .membersOnly: localized("Only members may enter this room. Ask somebody inside for an invitation.")
        case .banned: localized("You are banned from this room.")
        case .full: localized("The room is full. Try again later.")
        case .notFound: localized("There is no such room.")
        case .alreadyThere: localized("There is a room of this name already. Choose another one, or join it.")
        case .creationForbidden: localized("The service does not let you make rooms.")
        case .gone: localized("The room is gone.")
        case .unreachable: localized("The room's server does not answer. Check the address, or try again later.")
        case .removed: localized("You were removed while you entered the room.")
        case .notInside: localized("This is only possible inside of the room. Enter it first.")
        case .refused where clientError?.stanzaError != nil || stanzaError != nil: refusal
        case .refused: localized("The room does not allow it.")
        case .connection, .cancelled:
            localized("This needs a connection; try again when the account is online.")
        default: localized("It did not work: %@", description)
        }
    }

    private var refusal: String {
        switch stanzaError?.condition {
        case .forbidden?, .notAllowed?, .notAuthorized?: localized("The room does not allow it.")
        case .itemNotFound?: localized("There is nobody of this name in the room.")
        default: localized("The room refused it: %@", description)
        }
    }
}
