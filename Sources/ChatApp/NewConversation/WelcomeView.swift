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
    private let picture = Icon(ProgramIcon.name, size: 96)
    private let title = Label().wrap(maximumCharacters: 24).centered().css("title-2")
    let own: OwnAddressView
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
        own = OwnAddressView(invitation: invitation, showToast: showToast)
        for button in [start, join, share, profile] { button.wrap() }
        let buttons = Box.vertical(spacing: 12, start, join, share, profile).align(horizontal: .center).homogeneous()
        let column = Box.vertical(spacing: 12, picture, title, own.root, buttons.margins(top: 12))
            .align(vertical: .center).margins(horizontal: 18, vertical: 18)
        root = ScrolledWindow(column)
        profile.onClick { [weak accounts] in
            if let id = accounts?.rows.elements.first?.id { showProfile(id) }
        }
        observe(self) { view in view.show() }
    }

    /// The texts shown, for tests.
    var texts: [String] { [title, own.address, own.hint].filter(\.isVisible).map(\.text) }

    private func show() {
        let accounts = self.accounts.rows.elements
        // Of several accounts, the window of the invitation lets one choose.
        let only = accounts.count == 1 ? accounts.first : nil
        title.text = accounts.count == 1 ? only?.name ?? "" : localized("Hongyan")
        own.show(only, isNew: conversations.all.isEmpty)
        if only == nil { own.address.text = accounts.map(\.address.description).joined(separator: "\n") }
        picture.isVisible = own.code.code == nil
        profile.isVisible = only.map { $0.displayName == nil && $0.avatarHash == nil } ?? false
    }
}

/// Where the welcome is: beside the list of conversations; in a narrow window in place of the list, if that is empty.
final class WelcomePlaces {
    /// Made when it is shown for the first time.
    private(set) lazy var view = make()
    let besideList = Bin().expand(.vertical)
    private let list: ConversationListView
    private let make: () -> WelcomeView

    init(_ list: ConversationListView, _ make: @escaping () -> WelcomeView) {
        self.list = list
        self.make = make
    }

    func show(isNarrow: Bool) {
        if !isNarrow {
            list.show(welcome: nil)
            besideList.show(view.root)
        } else if list.isEmpty {
            besideList.show(nil)
            list.show(welcome: view.root)
        }
    }
}
