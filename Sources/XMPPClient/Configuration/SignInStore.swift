public import XMPPStream

/// Keeps the token that stands in for the password at the next login (XEP-0484), in the place where the password is
/// kept.
public protocol SignInStore: Sendable {
    /// The token is another one now, and the one before is of no use any more; `nil` if there is none, because the server
    /// has refused it. Called as soon as the server has said so, one call after the other; the end of the session waits
    /// for the last.
    func saveToken(_ token: FASTToken?) async
}
