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
    /// The invitation of the server; `nil` if it gives none, and until it has.
    private var served: (account: AccountID, invitation: IssuedInvitation)?

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

    private var invitation: IssuedInvitation? {
        served.flatMap { $0.account == account?.id ? $0.invitation : nil }
    }

    /// The link to pass on. A web page, if the server has one, helps people without a program, too.
    public var link: String? { invitation?.page ?? uri }

    /// The `xmpp:` link, which a program for XMPP opens.
    public var uri: String? {
        invitation?.link ?? account.map { Self.link(to: $0.address, name: name($0.id)) }
    }

    /// A link with which others become contacts of an account, and which needs no server (XEP-0379 §3.1).
    public static func link(to address: JID, name: String?) -> String {
        let parameters = name.map { [XMPPURI.Parameter("name", $0)] } ?? []
        return XMPPURI(address, action: "roster", parameters: parameters).description
    }

    /// Whether people without an account can create one with the link.
    public var createsAccounts: Bool { invitation?.createsAccounts ?? false }

    /// Asks the server for an invitation. Each call makes a new one.
    public func load() async {
        guard let account, served?.account != account.id else { return }
        guard let invitation = await account.contacts.createInvitation(), account.id == self.account?.id else { return }
        served = (account.id, invitation)
    }
}

extension ChatHome {
    /// What can be passed on so that others become contacts of one of these accounts.
    public func invitation(to accounts: [ChatAccount]) -> InvitationModel {
        InvitationModel(accounts: accounts) { [weak self] in self?.accounts.rows[$0]?.displayName }
    }
}
