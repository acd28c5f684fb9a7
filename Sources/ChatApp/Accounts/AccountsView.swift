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
