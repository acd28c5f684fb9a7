internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// What the window shows while no conversation is open: the user's address, and what can be done first.
final class WelcomeView {
    let root: Widget
    private let accounts: AccountList
    private let conversations: ConversationList
    private let address = Label().wrap(maximumCharacters: 30).centered().selectable().css("dim-label")
    private let title = Label().wrap(maximumCharacters: 24).centered().css("title-2")
    private let hint = Label(localized("Select a conversation, or start a new one.")).wrap(maximumCharacters: 30)
        .centered()
        .css("dim-label")
    let start = Button(localized("_Start a Conversation")).css("pill", "suggested-action").action("win.new")
    let join = Button(localized("_Join a Room")).css("pill").action("win.join-room")
    let share = Button(localized("_Invite Someone")).css("pill").action("win.share")
    /// For a new account, which has neither name nor picture.
    let profile = Button(localized("_Choose a Name and Picture…")).css("pill")

    /// - Parameter showProfile: shows the page of an account.
    init(_ accounts: AccountList, _ conversations: ConversationList, showProfile: @escaping (AccountID) -> Void) {
        self.accounts = accounts
        self.conversations = conversations
        let picture = Icon(ProgramIcon.name, size: 96)
        for button in [start, join, share, profile] { button.wrap() }
        let buttons = Box.vertical(spacing: 12, start, join, share, profile).align(horizontal: .center).homogeneous()
        let column = Box.vertical(spacing: 12, picture, title, address, hint, buttons.margins(top: 12))
            .align(vertical: .center).margins(horizontal: 18, vertical: 18)
        root = ScrolledWindow(column)
        profile.onClick { [weak accounts] in
            if let id = accounts?.rows.elements.first?.id { showProfile(id) }
        }
        observe(self) { view in view.show() }
    }

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
        profile.isVisible = accounts.count == 1 && first?.displayName == nil && first?.avatarHash == nil
        hint.text =
            isNew
            ? localized("Start with someone you know, or send your address to them.")
            : localized("Select a conversation, or start a new one.")
    }
}
