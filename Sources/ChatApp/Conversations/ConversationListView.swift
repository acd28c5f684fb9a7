internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The conversation list with its header bar, the search and the menus.
final class ConversationListView {
    let root: Widget
    let header: HeaderBar
    let search = SearchEntry(placeholder: localized("Search conversations and messages"))
    /// Called when a conversation was chosen.
    var onOpen: (ConversationKey) -> Void = { _ in }

    /// Called when a message was chosen in the search results.
    var onOpenMessage: (ConversationKey, MessageID) -> Void = { _, _ in }
    let results: SearchResultsView

    private let conversations: ConversationList
    private let accounts: AccountList
    private let rowMenu: (ConversationRow) -> ConversationMenu?
    let model = ListModel<ConversationRow>()
    let list: ListView<ConversationListRow>
    let searchBar: SearchBar
    let stack = Stack()
    private let scroller: ScrolledWindow
    let searchButton = ToggleButton(icon: "system-search-symbolic")
    /// The account names that the rows show now.
    private var shownTags: [AccountID: AccountTag?] = [:]
    private let title = WindowTitle(localized("Hongyan"))
    private var diffs: ListObservation?
    private var selection: Object.Connection?
    private(set) var openKey: ConversationKey?
    private var minutes: MainLoop.Repetition?

    /// - Parameters:
    ///   - menu: the main menu.
    ///   - rowMenu: the menu of a conversation.
    init(
        _ conversations: ConversationList, _ messages: SearchModel, accounts: AccountList, avatars: AvatarLoader,
        menu: Menu, rowMenu: @escaping (ConversationRow) -> ConversationMenu?
    ) {
        self.conversations = conversations
        self.accounts = accounts
        self.rowMenu = rowMenu
        let tag: (AccountID) -> AccountTag? = { accounts.tag(of: $0) }
        weak var view: ConversationListView?
        list = ListView(model, selection: .single) {
            let row = ConversationListRow(avatars, tag: tag)
            row.onMenu = { view?.showMenu($0, $1, $2, $3) }
            return row
        }
        list.accessible(label: localized("Conversations"))
        results = SearchResultsView(conversations, messages, avatars, tag: tag)
        searchBar = SearchBar(search)
        search.expand(.horizontal)
        scroller = ScrolledWindow(list).expand(.vertical)
        let menuButton = MenuButton(icon: "open-menu-symbolic").primary()
        menuButton.show(menu)
        menuButton.named(localized("Main menu"))
        searchButton.named(localized("Search conversations and messages"))
        header = HeaderBar(title: title)
        header.prepend(searchButton)
        header.append(menuButton)
        stack.add(scroller, name: "list")
        stack.add(results.root, name: "results")
        stack.add(
            StatusPage(
                icon: "user-available-symbolic", title: localized("No conversations yet"),
                description: localized("Add somebody to talk to. Whoever writes to you appears here, too."),
                EmptyListButtons.make()), name: "empty")
        stack.add(
            StatusPage(icon: "system-search-symbolic", title: localized("Nothing found")), name: "nothing")
        root = Box.vertical(header, searchBar, stack.expand(.vertical)).css("sidebar")
        // The list gives its extra width to the messages.
        root.minimumSize(width: 300).expand(.horizontal, when: false)
        view = self

        let toggling = searchButton.onToggle { [weak self] in self?.searchBar.isOpen = $0 }
        searchBar.onOpen { [weak self] isOpen in
            guard let self else { return }
            self.searchButton.withoutHearing(toggling) { self.searchButton.isActive = isOpen }
            if !isOpen { self.find("") }
        }
        search.onSearch { [weak self] in self?.find($0) }
        results.onChange = { [weak self] in self?.updateStack() }
        results.onOpen = { [weak self] key, message in
            if let message { self?.onOpenMessage(key, message) } else { self?.onOpen(key) }
        }
        search.onActivate { [weak self] in self?.openFirst() }
        selection = list.onSelect { [weak self] in self?.selected($0) }
        diffs = conversations.rows.observe { [weak self] in self?.apply($0) }
        model.show(conversations.rows.elements)
        updateStack()
        observe(self) { view in view.showAccounts() }
        // "10:42" becomes "Yesterday", and mutes expire.
        minutes = MainLoop.every(seconds: 60) { [weak conversations] in conversations?.refreshTimes() }
    }

    private func apply(_ diff: ListDiff<ConversationRow>) {
        withQuietSelection {
            model.apply(diff)
            showSelection()
        }
        updateStack()
    }

    /// Rows show their account as soon as there is a second one.
    private func showAccounts() {
        let tags = Dictionary(uniqueKeysWithValues: accounts.rows.elements.map { ($0.id, accounts.tag(of: $0.id)) })
        guard tags != shownTags else { return }
        shownTags = tags
        list.forEachRow { _, row in if let item = row.row { row.show(item) } }
    }

    private func updateStack() {
        guard !conversations.searchText.isEmpty else {
            stack.shown = model.count > 0 ? "list" : "empty"
            return
        }
        // The previous results stay visible until the new search has finished.
        if !results.isEmpty { stack.shown = "results" } else if !results.isSearching { stack.shown = "nothing" }
    }

    private func find(_ text: String) {
        conversations.search(text)
        results.search(text)
        updateStack()
    }

    // MARK: Selection

    private func selected(_ index: Int?) {
        guard let index, index < model.count else { return }
        onOpen(model[index].key)
    }

    /// Marks the conversation that is open.
    func show(open key: ConversationKey?) {
        openKey = key
        withQuietSelection { showSelection() }
    }

    private func showSelection() {
        list.selected = openKey.flatMap { key in model.items.firstIndex { $0.key == key } }
    }

    private func withQuietSelection(_ body: () -> Void) {
        guard let selection else { return body() }
        list.withoutHearingSelection(selection, body)
    }

    /// Opens the next or the previous conversation of the list.
    func openNeighbour(_ step: Int) {
        guard model.count > 0 else { return }
        let current = openKey.flatMap { key in model.items.firstIndex { $0.key == key } }
        let index = current.map { min(max($0 + step, 0), model.count - 1) } ?? 0
        onOpen(model[index].key)
        list.scroll(to: index)
    }

    private func openFirst() {
        results.openFirst()
        searchBar.isOpen = false
    }

    /// In a narrow window there is no room for the title between the window buttons.
    func show(isNarrow: Bool) { header.show(title: isNarrow ? Label() : title) }

    func startSearch() {
        searchBar.isOpen = true
        search.grabFocus()
    }

    // MARK: Menu

    private func showMenu(_ row: ConversationRow, _ widget: Widget, _ x: Double, _ y: Double) {
        guard let position = widget.translate(x: x, y: y, to: scroller), let menu = rowMenu(row) else { return }
        scroller.insert(menu.actions, prefix: "conversation")
        Popover(menu.menu).open(at: position.x, position.y, of: scroller)
    }
}

extension ListModel where Item: Identifiable & Equatable & Sendable, Item.ID: Sendable {
    /// Applies the steps of a diff.
    func apply(_ diff: ListDiff<Item>) {
        for step in diff.steps {
            switch step {
            case .remove(let range): remove(range)
            case .move(let source, let target, let item): move(from: source, to: target, item)
            case .insert(let items, let index): insert(items, at: index)
            case .update(let item, let index): update(item, at: index)
            }
        }
    }
}

/// The buttons that are shown when there are no conversations yet.
enum EmptyListButtons {
    static func make() -> Widget {
        let add = Button(localized("_Add a contact…")).css("pill", "suggested-action").action("win.add-contact")
        let show = Button(localized("_Contacts")).css("pill").action("win.contacts")
        return Box.vertical(spacing: 12, add, show).align(horizontal: .center)
    }
}
