internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The page after a further account was created: its address to pass on, and what can be done first. After the first
/// account the main window shows the same (``WelcomeView``).
final class NewAccountView {
    let root: Widget
    var onDone: () -> Void = {}
    var onProfile: () -> Void = {}
    let own: OwnAddressView
    private let id: AccountID
    private let accounts: AccountList
    private let title = Label().wrap(maximumCharacters: 24).centered().css("title-2")
    private let profile = Button(localized("_Choose a Name and Picture…")).css("pill")
    let done = Button(localized("_Done")).css("pill", "suggested-action")

    init(_ id: AccountID, _ actions: any SignInActions) {
        self.id = id
        accounts = actions.accounts
        weak var place: ToastOverlay?
        own = OwnAddressView(
            invitation: { [weak actions] id in
                actions?.account(id).flatMap { account in actions?.invitation(to: [account]) }
            }, showToast: { place?.show($0) })
        for button in [profile, done] { button.wrap() }
        let buttons = Box.vertical(spacing: 12, done, profile).align(horizontal: .center).homogeneous()
        let column = Box.vertical(spacing: 12, title, own.root, buttons.margins(top: 12))
            .align(vertical: .center).margins(horizontal: 18, vertical: 18)
        let toasts = ToastOverlay(ScrolledWindow(column))
        place = toasts
        root = toasts
        done.onClick { [weak self] in self?.onDone() }
        profile.onClick { [weak self] in self?.onProfile() }
        observe(self) { view in view.show() }
    }

    func focus() {
        done.grabFocus()
        // A page that is shown gives the focus to its first text, which is selected then.
        own.address.deselect()
    }

    private func show() {
        guard let row = accounts.rows[id] else { return }
        title.text = row.name
        own.show(row, isNew: true)
    }
}
