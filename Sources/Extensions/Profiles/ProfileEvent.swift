public import XMPPAddress

/// What somebody changed about itself.
public enum ProfileEvent: Sendable, Hashable {
    /// The account has another avatar, or none any more. ``Profiles/avatar(of:)`` brings it.
    case avatarChanged(JID, id: String?)
    /// The account goes by another name, or by none any more.
    case nicknameChanged(JID, String?)
}
