internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What the window shows while no conversation is open: the user's address, and what can be done first. A new account
/// also sees its address as a QR code, and the link with which others find it.
final class WelcomeView {
    let root: Widget
    private let accounts: AccountList
    private let conversations: ConversationList
    private let invitation: (AccountID) -> InvitationModel?
    private let showToast: (String) -> Void
    private let picture = Icon(ProgramIcon.name, size: 96)
    private let address = Label().wrap(maximumCharacters: 30).centered().selectable().css("dim-label")
    private let title = Label().wrap(maximumCharacters: 24).centered().css("title-2")
    private let hint = Label(localized("Select a conversation, or start a new one.")).wrap(maximumCharacters: 30)
        .centered()
        .css("dim-label")
    let code = QRCodeView(localized("Your address as a QR code"))
    let copyAddress = Button(localized("Copy _Address")).css("flat")
    let copyLink = Button(localized("Copy Invitation _Link")).css("flat")
    private let copying: Widget
    private var loading: Task<Void, Never>?
    let start = Button(localized("_Start a Conversation")).css("pill", "suggested-action").action("win.new")
    let join = Button(localized("_Join a Room")).css("pill").action("win.join-room")
    let share = Button(localized("_Invite Someone")).css("pill").action("win.share")
    /// For a new account, which has neither name nor picture.
    let profile = Button(localized("_Choose a Name and Picture…")).css("pill")

    /// - Parameters:
    ///   - invitation: `nil` while the account is not running.
    ///   - showProfile: shows the page of an account.
    init(
        _ accounts: AccountList, _ conversations: ConversationList,
        invitation: @escaping (AccountID) -> InvitationModel?, showToast: @escaping (String) -> Void,
        showProfile: @escaping (AccountID) -> Void
    ) {
        self.accounts = accounts
        self.conversations = conversations
        self.invitation = invitation
        self.showToast = showToast
        for button in [copyAddress, copyLink, start, join, share, profile] { button.wrap() }
        copying = Box.horizontal(spacing: 6, copyAddress, copyLink).align(horizontal: .center)
        let buttons = Box.vertical(spacing: 12, start, join, share, profile).align(horizontal: .center).homogeneous()
        let column = Box.vertical(
            spacing: 12, picture, title, address, code.root, copying, hint, buttons.margins(top: 12)
        )
        .align(vertical: .center).margins(horizontal: 18, vertical: 18)
        root = ScrolledWindow(column)
        profile.onClick { [weak accounts] in
            if let id = accounts?.rows.elements.first?.id { showProfile(id) }
        }
        copyAddress.onClick { [weak self] in
            if let address = self?.accounts.rows.elements.first?.address { self?.copy(address.description) }
        }
        copyLink.onClick { [weak self] in self?.copyInvitation() }
        observe(self) { view in view.show() }
    }

    isolated deinit { loading?.cancel() }

    /// The texts shown, for tests.
    var texts: [String] { [title, address, hint].filter(\.isVisible).map(\.text) }

    private func show() {
        let accounts = self.accounts.rows.elements
        let isNew = conversations.all.isEmpty
        let first = accounts.first
        title.text = accounts.count == 1 ? first?.name ?? "" : localized("Hongyan")
        address.text =
            accounts.count == 1
            ? first.map { localized("You are %@", $0.address) } ?? ""
            : accounts.map(\.address.description).joined(separator: "\n")
        // Of several accounts, the window of the invitation lets one choose.
        copying.isVisible = accounts.count == 1
        copyLink.isVisible = isNew
        code.show(
            isNew && accounts.count == 1
                ? first.map { InvitationModel.link(to: $0.address, name: $0.displayName) } : nil)
        picture.isVisible = code.code == nil
        profile.isVisible = accounts.count == 1 && first?.displayName == nil && first?.avatarHash == nil
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
        guard loading == nil, let id = accounts.rows.elements.first?.id, let model = invitation(id) else { return }
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
