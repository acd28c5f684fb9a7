public import SASLMechanisms
public import XMPPStream

/// Saves what one login teaches for the next one: the token that stands in for the password (XEP-0484), in the place where
/// the password is saved, and the mechanism below which no later login may fall (XEP-0474 §6).
public protocol SignInStore: Sendable {
    /// The token is another one now, and the one before is of no use any more; `nil` if there is none, because the server
    /// has refused it. Called as soon as the server has said so, one call after the other; the end of the session waits
    /// for the last.
    func saveToken(_ token: FASTToken?) async

    /// The account was authenticated with a mechanism other than the one in the configuration, which becomes
    /// `SASLPolicy.previousMechanism` of ``ClientConfiguration/mechanisms`` at the next start. Called like
    /// ``saveToken(_:)``; not for a login by token, nor for an unbound one after one that was bound to its connection.
    func saveMechanism(_ mechanism: SASLMechanismName) async
}
