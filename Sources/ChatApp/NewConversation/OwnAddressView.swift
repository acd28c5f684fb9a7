internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The user's address to pass on: as text, as a QR code, and with buttons that copy it and the link of an invitation.
final class OwnAddressView {
    let root: Widget
    let address = Label().wrap(maximumCharacters: 30).centered().selectable().css("dim-label")
    let hint = Label().wrap(maximumCharacters: 30).centered().css("dim-label")
    let code = QRCodeView(localized("Your address as a QR code"))
    let copyAddress = Button(localized("Copy _Address")).css("flat")
    let copyLink = Button(localized("Copy Invitation _Link")).css("flat")
    private let copying: Widget
    private let invitation: (AccountID) -> InvitationModel?
    private let showToast: (String) -> Void
    private var account: AccountRow?
    private var loading: Task<Void, Never>?

    /// - Parameter invitation: `nil` while the account is not running.
    init(invitation: @escaping (AccountID) -> InvitationModel?, showToast: @escaping (String) -> Void) {
        self.invitation = invitation
        self.showToast = showToast
        for button in [copyAddress, copyLink] { button.wrap() }
        copying = FoldingRow(spacing: 6, .center, copyAddress, copyLink)
        root = Box.vertical(spacing: 12, address, code.root, copying, hint)
        copyAddress.onClick { [weak self] in
            if let address = self?.account?.address { self?.copy(address.description) }
        }
        copyLink.onClick { [weak self] in self?.copyInvitation() }
    }

    isolated deinit { loading?.cancel() }

    /// - Parameters:
    ///   - account: `nil` while there is nothing to copy.
    ///   - isNew: whether nobody writes to the account yet: code and link are shown, too.
    func show(_ account: AccountRow?, isNew: Bool) {
        self.account = account
        if let account { address.text = localized("You are %@", account.address) }
        copying.isVisible = account != nil
        copyLink.isVisible = isNew
        code.show(isNew ? account.map { InvitationModel.link(to: $0.address, name: $0.displayName) } : nil)
        hint.text =
            isNew
            ? localized("Others write to you at this address, or scan the code.")
            : localized("Select a conversation, or start a new one.")
    }

    private func copy(_ text: String) {
        Clipboard.copy(text)
        showToast(localized("Copied."))
    }

    /// The server is asked for an invitation only now: each is one that somebody can use.
    private func copyInvitation() {
        guard loading == nil, let id = account?.id, let model = invitation(id) else { return }
        copyLink.isSensitive = false
        loading = Task { [weak self] in
            await model.load()
            guard let self, !Task.isCancelled else { return }
            self.loading = nil
            self.copyLink.isSensitive = true
            if let link = model.link { self.copy(link) }
        }
    }
}
