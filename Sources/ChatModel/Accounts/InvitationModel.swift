public import ChatEngine
public import ChatStore
public import Observation
public import XMPPAddress

/// A link with which others become contacts of the user (XEP-0379), with an account of the user's server where the server
/// gives such invitations (XEP-0401).
@MainActor
@Observable
public final class InvitationModel {
    /// The addresses of the accounts that can invite.
    public let accounts: [JID]
    /// The selected account; call ``load()`` after changing it.
    public var accountIndex = 0
    /// The link of the server; `nil` if it gives none, and until it has.
    private var served: (account: AccountID, link: String, createsAccounts: Bool)?

    @ObservationIgnored private let atWork: [ChatAccount]
    @ObservationIgnored private let name: (AccountID) -> String?

    /// - Parameter name: the display name of an account.
    public init(accounts: [ChatAccount], name: @escaping (AccountID) -> String?) {
        atWork = accounts
        self.accounts = accounts.map(\.address)
        self.name = name
    }

    private var account: ChatAccount? {
        atWork.indices.contains(accountIndex) ? atWork[accountIndex] : atWork.first
    }

    public var address: JID? { account?.address }

    /// The link to pass on.
    public var link: String? {
        guard let account else { return nil }
        if let served, served.account == account.id { return served.link }
        let parameters = name(account.id).map { [XMPPURI.Parameter("name", $0)] } ?? []
        return XMPPURI(account.address, action: "roster", parameters: parameters).description
    }

    /// Whether people without an account can create one with the link.
    public var createsAccounts: Bool { served.map { $0.account == account?.id && $0.createsAccounts } ?? false }

    /// Asks the server for an invitation. Each call makes a new one.
    public func load() async {
        guard let account, served?.account != account.id else { return }
        guard let invitation = await account.contacts.createInvitation(), account.id == self.account?.id else { return }
        // A link of a browser helps people without a program, too.
        served = (account.id, invitation.page ?? invitation.link, invitation.createsAccounts)
    }
}
