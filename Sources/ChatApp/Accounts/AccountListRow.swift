internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

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
