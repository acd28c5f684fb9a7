internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// One account in the list of accounts: name, address, and how its connection stands.
final class AccountListRow {
    let widget: ActionRow
    let id: AccountID
    private let home: ChatHome
    private let picture: PersonPicture
    private let button = Button(icon: "view-refresh-symbolic").named(localized("Connect now")).css("flat")
        .align(vertical: .center).hidden()
    private let warning = Icon("dialog-warning-symbolic").css("warning").hidden()
    private lazy var seconds = SecondHand { [weak self] in self?.show() }

    init(_ id: AccountID, _ home: ChatHome, onOpen: @escaping (AccountID) -> Void) {
        self.id = id
        self.home = home
        widget = ActionRow()
        picture = PersonPicture(home.avatars, size: 40)
        widget.prepend(picture.widget)
        widget.append(warning)
        widget.append(button)
        widget.append(Icon("go-next-symbolic"))
        widget.onActivate { onOpen(id) }
        button.onClick { [weak home] in Task { await home?.connectNow(id) } }
        observe(self) { row in row.show() }
    }

    private func show() {
        guard let row = home.accounts.rows[id] else { return }
        picture.show(name: row.name, hash: row.avatarHash)
        widget.show(title: row.address.description)
        let words = ConnectionWords.short(row, now: home.environment.now())
        widget.show(subtitle: words)
        widget.accessible(label: "\(row.address), \(words)")
        warning.isVisible = row.need != nil
        button.isVisible = row.isEnabled && row.need == nil && row.connection.isWaiting
        seconds.run(row.nextAttempt != nil)
    }
}
