internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// One field for whom to write to: it finds contacts, conversations and public rooms, or takes an address. Return opens the
/// selected one.
final class NewConversationWindow {
    let window: Window
    let model: NewConversationModel
    private(set) var shown: [NewConversationModel.Suggestion] = []

    private let context: AppContext
    private let account: ComboRow?
    private var preparing: Task<Void, Never>?
    private let found: SearchedList
    private let hint = Label().wrap(maximumCharacters: 36).centered().css("dim-label")
        .margins(horizontal: 12, vertical: 24)

    private init(_ model: NewConversationModel, _ context: AppContext, over parent: Window?) {
        self.model = model
        self.context = context
        // With one account there is nothing to choose.
        account =
            model.accounts.count > 1
            ? ComboRow(localized("Your account"), choices: model.accounts.map(\.description)) : nil
        let create = Button(localized("_Create a Room…")).css("flat")
        let add = Button(localized("_Add a Contact…")).css("flat")
        let content = Box.vertical(spacing: 12).margins(horizontal: 12, vertical: 6)
        if let account { content.append(PreferencesGroup("", description: nil, [account])) }
        found = SearchedList(
            placeholder: localized("Name, address or room"), name: localized("Suggestions"), empty: hint
        ) { list in
            content.append(list)
            return content
        }
        window = Window(
            localized("New Conversation"), width: 420, height: 560, over: parent,
            Box.vertical(
                HeaderBar(title: WindowTitle(localized("New Conversation"))),
                found.search.margins(horizontal: 12, vertical: 6), found.scroller,
                FoldingRow(spacing: 6, .center, add, create).margins(horizontal: 12, vertical: 8))
        )
        window.minimumSize(width: 340, height: 320)
        window.isModal(parent != nil)
        window.closesOnEscape()
        create.onClick { [weak self] in self?.leave { RoomEntryWindow.create($0, text: $1) } }
        add.onClick { [weak self] in self?.leave { $0.addContact($1) } }
    }

    var search: SearchEntry { found.search }

    /// Opens the window; `nil` when there is no account.
    @discardableResult
    static func show(_ context: AppContext, over parent: Window?) -> NewConversationWindow? {
        let accounts = context.usableAccounts
        guard !accounts.isEmpty else {
            context.showToast(localized("Sign in first; then conversations can be started."))
            return nil
        }
        let view = NewConversationWindow(
            NewConversationModel(accounts: accounts, home: context.home), context, over: parent)
        view.window.retain(view)
        view.begin()
        view.window.present()
        view.search.grabFocus()
        return view
    }

    private func begin() {
        search.onChange { [weak self] text in
            guard let self else { return }
            self.found.selectFirst()
            self.model.text = text
            // Return may follow before the next time the window is drawn.
            self.show()
        }
        found.onOpen = { [weak self] in self?.open($0) }
        found.onStop = { [weak self] in self?.window.close() }
        account?.onSelect { [weak self] in
            guard let self else { return }
            self.model.accountIndex = $0
            self.prepare()
        }
        window.onCloseRequest { [weak self] in
            self?.preparing?.cancel()
            return false
        }
        observe(self) { view in view.show() }
        prepare()
    }

    private func prepare() {
        preparing?.cancel()
        preparing = Task { [model] in await model.run() }
    }

    // MARK: Content

    private func show() {
        let suggestions = model.suggestions
        hint.text =
            model.text.allSatisfy(\.isWhitespace)
            ? localized("Enter the address of a person, such as romeo@example.org, or the name of a room.")
            : localized("No one found. A complete address always works.")
        guard suggestions != shown else { return }
        shown = suggestions
        found.show(suggestions.map { row($0) })
    }

    private func row(_ suggestion: NewConversationModel.Suggestion) -> Widget {
        let picture = AvatarImage(context.home.avatars, size: 32)
        let row: ActionRow
        switch suggestion {
        case .conversation(let item):
            row = ActionRow(item.title, subtitle: item.isRoom ? localized("Room") : item.key.address.description)
            picture.show(
                name: item.title, hash: item.avatarHash, of: item.key.colourIdentity, isRoom: item.isRoom)
        case .contact(let item):
            row = ActionRow(item.name, subtitle: item.address.description)
            picture.show(name: item.name, hash: item.avatarHash, of: item.address.description)
        case .room(let item):
            row = ActionRow(item.name, subtitle: localized("Public room · %@", item.address))
            picture.show(name: item.name, hash: nil, of: item.address.description, isRoom: true)
        case .person(let address):
            row = ActionRow(localized("Write to %@", address.description))
            picture.show(name: address.description, hash: nil, of: address.description)
        case .roomAddress(let address):
            row = ActionRow(localized("Join %@", address.description))
            picture.show(name: address.description, hash: nil, of: address.description, isRoom: true)
        }
        row.prepend(picture.widget)
        row.onActivate {}
        return row
    }

    // MARK: Actions

    /// Opens the conversation of a suggestion, and joins its room before.
    func open(_ index: Int) {
        guard shown.indices.contains(index) else { return }
        let suggestion = shown[index]
        window.close()
        if let key = model.conversation(of: suggestion) { return context.open(key) }
        guard let room = model.room(of: suggestion), let account = model.account?.id else { return }
        let (context, joining) = (context, context.rooms.joining)
        Task {
            if let key = await joining.join(room, of: account) { context.open(key) }
        }
    }

    /// Goes to another window with the typed text.
    private func leave(_ body: (AppContext, String) -> Void) {
        let (text, context) = (model.text, context)
        window.close()
        body(context, text)
    }
}
