internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The user's address to pass on: as text, as a QR code, and as a link with which others become contacts.
final class ShareWindow {
    let window: Window
    let model: InvitationModel
    private let account: ComboRow?
    private let address = ActionRow(localized("Your address"))
    let copyAddress = ShareWindow.copyButton(localized("Copy the address"))
    let copyLink = ShareWindow.copyButton(localized("Copy the Link"))
    private let link = ActionRow(localized("Invitation link"))
    let code = QRCodeView(localized("Your address as a QR code"))
    private let explanation = Label().wrap(maximumCharacters: 40).centered().css("dim-label", "caption")
    private let toasts: ToastOverlay
    private var loading: Task<Void, Never>?

    init(_ model: InvitationModel, over parent: Window?) {
        self.model = model
        // With one account there is nothing to choose.
        account =
            model.accounts.count > 1
            ? ComboRow(localized("Your account"), choices: model.accounts.map(\.description)) : nil
        let group = PreferencesGroup("", description: nil, [account, address, link].compactMap(\.self))
        let top = Box.vertical(spacing: 12, code.root.align(horizontal: .center), explanation)
        let page = PreferencesPage(
            "", icon: nil, [PreferencesGroup("", description: nil, [top]), group])
        toasts = ToastOverlay(page)
        window = Window(
            localized("Invite Someone"), width: 420, height: 560, over: parent,
            Box.vertical(
                HeaderBar(title: WindowTitle(localized("Invite Someone"))), toasts.expand(.vertical)))
        window.minimumSize(width: 340, height: 360)
        window.isModal(parent != nil)
        window.closesOnEscape()
        address.append(copyAddress)
        link.append(copyLink)
        copyAddress.onClick { [weak self] in self?.copy(self?.model.address?.description) }
        copyLink.onClick { [weak self] in self?.copy(self?.model.link) }
        account?.onSelect { [weak self] in
            self?.model.accountIndex = $0
            self?.load()
        }
        window.onCloseRequest { [weak self] in
            self?.loading?.cancel()
            return false
        }
        observe(self) { view in view.show() }
        load()
    }

    func present() {
        window.retain(self)
        window.present()
    }

    private func load() {
        loading?.cancel()
        loading = Task { [model] in await model.load() }
    }

    private static func copyButton(_ name: String) -> Button {
        Button(icon: "edit-copy-symbolic").css("flat").align(vertical: .center).named(name)
    }

    private func copy(_ text: String?) {
        guard let text else { return }
        Clipboard.copy(text)
        toasts.show(localized("Copied."))
    }

    private func show() {
        address.show(subtitle: model.address?.description ?? "")
        link.show(subtitle: model.link ?? "")
        code.show(model.uri)
        explanation.text =
            model.createsAccounts
            ? localized(
                "With this link others become your contacts. Those without an account can create one on your server.")
            : localized("With this link others become your contacts.")
    }
}
