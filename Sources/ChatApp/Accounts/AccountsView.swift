internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// All accounts, and a way to add one.
final class AccountsView {
    let page: PreferencesPage
    var onOpen: (AccountID) -> Void = { _ in }

    private let actions: any AccountActions
    private let group = PreferencesGroup(
        localized("Accounts"), description: localized("All of them are online at the same time."))
    private(set) var rows: [AccountListRow] = []

    /// - Parameter addAccount: begins signing in to one more.
    init(_ actions: any AccountActions, addAccount: @escaping () -> Void) {
        self.actions = actions
        page = PreferencesPage(localized("Accounts"), icon: "avatar-default-symbolic")
        let add = Button(localized("_Add an account"), icon: "list-add-symbolic").css("flat")
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

/// One account in the list of accounts: name, address, and how its connection stands.
final class AccountListRow {
    let widget: ActionRow
    let id: AccountID
    private let actions: any AccountActions
    private let picture: PersonPicture
    private let button = Button(icon: "view-refresh-symbolic").named(localized("Connect now")).css("flat")
        .align(vertical: .center).hidden()
    private let warning = Icon("dialog-warning-symbolic").css("warning").hidden()
    private lazy var seconds = SecondHand { [weak self] in self?.show() }

    init(_ id: AccountID, _ actions: any AccountActions, onOpen: @escaping (AccountID) -> Void) {
        self.id = id
        self.actions = actions
        widget = ActionRow()
        picture = PersonPicture(actions.avatars, size: 40)
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
        picture.show(name: row.name, hash: row.avatarHash)
        widget.show(title: row.address.description)
        let words = Wording.brief(row, now: actions.environment.now())
        widget.show(subtitle: words)
        widget.accessible(label: "\(row.address), \(words)")
        warning.isVisible = row.need != nil
        button.isVisible = row.isEnabled && row.need == nil && row.connection.isWaiting
        seconds.run(row.nextAttempt != nil)
    }
}

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
