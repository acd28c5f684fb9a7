public import ChatStore
public import XMPPAddress
public import XMPPClient

/// What happens to an account at work, apart from what its store tells: a reason to look again at ``ChatAccount``, whose state
/// is the truth.
public enum ChatAccountEvent: Sendable {
    case connection(ConnectionState)
    /// Somebody of the contacts came, went or changed what is said about it.
    case presence(JID)
    /// Somebody waits for an answer, or does not any more: ``ChatAccount/contactRequests``.
    case requests
    /// Somebody was blocked or is not any more: ``ChatAccount/blocked``.
    case blocked
    /// An invitation into a room came or was answered: ``ChatAccount/roomInvitations``.
    case invitations
    /// Somebody began or stopped writing: ``ChatAccount/typing``.
    case typing(ConversationKey)
    /// Something about a room changed: whether this account is in it, who is there.
    case room(JID)
    /// Something did not work that nobody asked for and somebody should know of, as a sentence.
    case problem(String)
}
