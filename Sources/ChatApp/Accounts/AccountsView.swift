internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The list of all accounts, with a button that adds one.
final class AccountsView {
    let page: PreferencesPage
    var onOpen: (AccountID) -> Void = { _ in }

    private let actions: any AccountActions
    private let group = PreferencesGroup(
        localized("Accounts"), description: localized("All of them are online at the same time."))
    private(set) var rows: [AccountListRow] = []

    /// - Parameter addAccount: starts signing in to another account.
    init(_ actions: any AccountActions, addAccount: @escaping () -> Void) {
        self.actions = actions
        page = PreferencesPage(localized("Accounts"), icon: "avatar-default-symbolic")
        let add = Button(localized("_Add an Account"), icon: "list-add-symbolic").css("flat")
        group.show(suffix: add)
        page.add(group)
        add.onClick(addAccount)
        observe(self) { view in view.show() }
    }

    private func show() {
        let ids = actions.accounts.rows.elements.map(\.id)
        guard ids != rows.map(\.id) else { return }
        for row in rows { group.remove(row.widget) }
        rows = ids.map { id in
            AccountListRow(id, actions) { [weak self] in self?.onOpen($0) }
        }
        for row in rows { group.add(row.widget) }
    }
}

/// One row of the account list: name, address and connection state.
final class AccountListRow {
    let widget: ActionRow
    let id: AccountID
    private let actions: any AccountActions
    private let picture: AvatarImage
    private let button = Button(icon: "view-refresh-symbolic").named(localized("Connect Now")).css("flat")
        .align(vertical: .center).hidden()
    private let warning = Icon("dialog-warning-symbolic").css("warning").hidden()
    private lazy var seconds = SecondTicker { [weak self] in self?.show() }

    init(_ id: AccountID, _ actions: any AccountActions, onOpen: @escaping (AccountID) -> Void) {
        self.id = id
        self.actions = actions
        widget = ActionRow()
        picture = AvatarImage(actions.avatars, size: 40)
        widget.prepend(picture.widget)
        widget.append(warning)
        widget.append(button)
        widget.append(Icon("go-next-symbolic"))
        widget.onActivate { onOpen(id) }
        button.onClick { [weak actions] in Task { await actions?.connectNow(id) } }
        observe(self) { row in row.show() }
    }

    private func show() {
        guard let row = actions.accounts.rows[id] else { return }
        picture.show(name: row.name, hash: row.avatarHash, of: row.address.description)
        widget.show(title: row.address.description)
        let text = Wording.brief(row, now: actions.environment.now())
        widget.show(subtitle: text)
        widget.accessible(label: "\(row.address), \(text)")
        warning.isVisible = row.need != nil
        button.isVisible = row.isEnabled && row.need == nil && row.connection.isWaiting
        seconds.run(row.nextAttempt != nil)
    }
}

/// The operations on signed-in accounts that the account views need.
protocol AccountActions: AnyObject {
    var accounts: AccountList { get }
    var avatars: AvatarLoader { get }
    var environment: ModelEnvironment { get }

    /// `nil` when the account is not running.
    func account(_ id: AccountID) -> ChatAccount?
    func invitation(to accounts: [ChatAccount]) -> InvitationModel
    func connectNow(_ id: AccountID) async
    func setEnabled(_ isEnabled: Bool, _ id: AccountID) async
    /// `nil` when the account is not running.
    func settings(of id: AccountID) -> AccountSettings?
    func remove(_ id: AccountID) async
    /// Deletes the account on its server permanently, and everything about it here.
    func deleteOnServer(_ id: AccountID) async throws(SignInFailure)
}

/// The operations that ``PresenceButton`` needs.
protocol OwnPresenceActions: AnyObject {
    var accounts: AccountList { get }
    var avatars: AvatarLoader { get }
    var availability: Availability { get }
    var statusText: String? { get }
    func show(_ availability: Availability, saying status: String?) async
}

/// The operations of the sign-in, registration and invitation pages.
protocol SignInActions: AnyObject {
    var accounts: AccountList { get }
    func signIn() -> SignInModel
    func register(_ invitation: AccountInvitation?) -> RegistrationModel
    /// Adds the contact of an invitation to the contacts of an account.
    func accept(_ invitation: AccountInvitation, as id: AccountID)
    /// `nil` when the account is not running.
    func account(_ id: AccountID) -> ChatAccount?
    func invitation(to accounts: [ChatAccount]) -> InvitationModel
}
