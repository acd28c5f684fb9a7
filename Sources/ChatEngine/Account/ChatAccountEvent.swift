public import ChatStore
public import GroupChat
public import XMPPAddress
public import XMPPClient

/// What happens to an account at work, apart from what its store tells: a reason to look again at ``ChatAccount``, whose state
/// is the truth.
public enum ChatAccountEvent: Sendable {
    case connection(ConnectionState)
    /// Somebody of the contacts came, went or changed what is said about it.
    case presence(JID)
    /// Somebody waits for an answer, or does not any more: ``ContactService/requests``.
    case requests
    /// Somebody was blocked or is not any more: ``BlockingService/blocked``.
    case blocked
    /// An invitation into a room came or was answered: ``InvitationService/waiting``.
    case invitations
    /// Somebody began or stopped writing: ``ChatAccount/writers``.
    case typing(ConversationKey)
    /// Something about a room changed: whether this account is in it, who is there.
    case room(JID)
    /// Something did not work that nobody asked for, and the user should know of it.
    case problem(AccountProblem)
}

/// Something that did not work without anybody having asked for it.
public enum AccountProblem: Sendable {
    /// The store could not be read or written.
    case store(StoreError)
    /// A room could not be entered.
    case room(JID, RoomFailure)
    /// The account was removed from a room.
    case removed(JID, RoomDeparture)
    /// More contact requests came than are shown: so many.
    case requestsOmitted(Int)
    /// The archive of a room holds messages that were not sent there; they were ignored.
    case forgedArchive(JID)
    /// A part of the session failed.
    case session(any Error)
}
