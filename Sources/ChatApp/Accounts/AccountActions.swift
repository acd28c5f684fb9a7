internal import ChatEngine
internal import ChatModel
internal import ChatStore

/// What a person does with accounts that are signed in, as their views ask for it.
protocol AccountActions: AnyObject {
    var accounts: AccountList { get }
    var avatars: AvatarLoader { get }
    var environment: ModelEnvironment { get }

    /// `nil` where the account is not at work.
    func account(_ id: AccountID) -> ChatAccount?
    func connectNow(_ id: AccountID) async
    func setEnabled(_ isEnabled: Bool, _ id: AccountID) async
    func setDisplayName(_ name: String, of id: AccountID) async
    func changePassword(of id: AccountID, to password: String) async throws(SignInFailure)
    func remove(_ id: AccountID) async
}

/// How the person is seen, as the button for it asks.
protocol OwnPresenceActions: AnyObject {
    var availability: Availability { get }
    var statusText: String? { get }
    func show(_ availability: Availability, saying status: String?) async
}

/// The ways to an account.
protocol SignInActions: AnyObject {
    var accounts: AccountList { get }
    func signIn() -> SignInModel
    func register(_ invitation: AccountInvitation?) -> RegistrationModel
    /// Adds the contact of an invitation to an account.
    func accept(_ invitation: AccountInvitation, as id: AccountID)
}
