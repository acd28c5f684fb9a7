internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The conversation list with its header bar, the search and the menus.
final class ConversationListView {
    let root: Widget
    let header: ConversationListHeader
    let search = SearchEntry(placeholder: localized("Search conversations and messages"))
    /// Called when a conversation was chosen.
    var onOpen: (ConversationKey) -> Void = { _ in }

    /// Called when a message was chosen in the search results.
    var onOpenMessage: (ConversationKey, MessageID) -> Void = { _, _ in }
    let results: SearchResultsView

    /// Called when the user moves to a conversation with the arrow keys, to look at it without writing.
    var onLook: (ConversationKey) -> Void = { _ in }
    /// Called when Tab leaves the list at its end.
    var onTab: () -> Void = {}

    /// Called when there is no conversation to show, or there is one again.
    var onStack: () -> Void = {}

    let browser: ConversationBrowser
    private let conversations: ConversationList
    private let accounts: AccountList
    private let contacts: ContactList
    private let rowMenu: (ConversationRow) -> ConversationMenu?
    let model = ListModel<ConversationRow>()
    let list: ListView<ConversationListRow>
    let filters: ConversationFilterBar
    let searchBar: SearchBar
    let stack = Stack()
    let scroller: ScrolledWindow
    /// The account names that the rows show now.
    private var shownTags: [AccountID: AccountTag?] = [:]
    /// The place of the welcome, in a narrow window without a conversation.
    let welcomePlace = Bin().expand(.vertical).hidden()
    private let noConversations = Label(localized("No Conversations Yet")).css("dim-label").align(vertical: .center)
    private var diffs: ListObservation?
    private var presences: ListObservation?
    private var selection: Object.Connection?
    private(set) var openKey: ConversationKey?
    private var minutes: MainLoop.Repetition?
    /// A key that moves in the list is being handled.
    private var isMovedByKey = false

    /// - Parameters:
    ///   - menu: the main menu.
    ///   - rowMenu: the menu of a conversation.
    init(
        _ conversations: ConversationList, _ messages: SearchModel, contacts: ContactList, accounts: AccountList,
        avatars: AvatarLoader, menu: Menu, rowMenu: @escaping (ConversationRow) -> ConversationMenu?
    ) {
        self.conversations = conversations
        self.accounts = accounts
        self.contacts = contacts
        self.rowMenu = rowMenu
        browser = ConversationBrowser(conversations)
        filters = ConversationFilterBar(browser)
        weak var view: ConversationListView?
        let surroundings = ConversationSurroundings(
            tag: { accounts.tag(of: $0) }, presence: { view?.presence(of: $0) }, open: { view?.openKey })
        list = ListView(model, selection: .single) {
            let row = ConversationListRow(avatars, surroundings)
            row.onMenu = { view?.showMenu($0, $1, $2, $3) }
            row.onClick = { view?.onOpen($0.key) }
            return row
        }
        list.accessible(label: localized("Conversations"))
        results = SearchResultsView(conversations, messages, contacts, avatars, surroundings)
        searchBar = SearchBar(search)
        search.expand(.horizontal)
        scroller = ScrolledWindow(list).expand(.vertical)
        header = ConversationListHeader(menu: menu)
        stack.add(scroller, name: "list")
        stack.add(results.root, name: "results")
        stack.add(Box.vertical(welcomePlace, noConversations.expand(.vertical)), name: "empty")
        stack.add(
            StatusPage(
                icon: "emblem-ok-symbolic", title: localized("Nothing Here"),
                description: localized("No conversation matches the filter.")), name: "filtered")
        stack.add(
            StatusPage(icon: "system-search-symbolic", title: localized("Nothing Found")), name: "nothing")
        // Also above a list that a filter has emptied: there it is the way back.
        root = Box.vertical(header.bar, searchBar, filters.root, stack.expand(.vertical)).css("sidebar")
        view = self

        let toggling = header.searchButton.onToggle { [weak self] in self?.searchBar.isOpen = $0 }
        searchBar.onOpen { [weak self] isOpen in
            guard let self else { return }
            self.header.searchButton.withoutHearing(toggling) { self.header.searchButton.isActive = isOpen }
            if !isOpen { self.find("") }
        }
        search.onSearch { [weak self] in self?.find($0) }
        results.onChange = { [weak self] in self?.updateStack() }
        results.onOpen = { [weak self] key, message in
            if let message { self?.onOpenMessage(key, message) } else { self?.onOpen(key) }
        }
        search.onActivate { [weak self] in self?.openFirst() }
        header.back.onClick { [weak self] in self?.browser.show(.conversations) }
        selection = list.onSelect { [weak self] in self?.selected($0) }
        list.onActivate { [weak self] in self?.activated($0) }
        list.onKey { [weak self] in self?.pressed($0) ?? false }
        diffs = browser.rows.observe { [weak self] in self?.apply($0) }
        presences = contacts.rows.observe { [weak self] _ in self?.showPresences() }
        model.show(browser.rows.elements)
        updateStack()
        observe(self) { view in view.showAccounts() }
        observe(self) { view in view.showPlace() }
        // "10:42" becomes "Yesterday", and mutes expire.
        minutes = MainLoop.every(seconds: 60) { [weak conversations] in conversations?.refreshTimes() }
    }

    /// Whether there is no conversation, with or without a filter.
    var isEmpty: Bool { stack.shown == "empty" }

    /// - Parameter welcome: shown in place of the list; a wide window has it beside the list.
    func show(welcome: Widget?) {
        welcomePlace.show(welcome)
        welcomePlace.isVisible = welcome != nil
        noConversations.expand(.vertical, when: welcome == nil)
    }

    private func apply(_ diff: ListDiff<ConversationRow>) {
        let isAtTop = scroller.offset <= 1
        let focused = list.focused.flatMap { $0 < model.count ? model[$0].key : nil }
        withQuietSelection {
            model.apply(diff)
            showSelection()
        }
        // GTK keeps a row where it is when another one is inserted above it; a list at its top shows the new one.
        if isAtTop { list.scroll(to: 0) }
        // A row that moves takes the keyboard focus with it.
        if let focused, let index = position(of: focused), list.focused != index { list.focus(on: index) }
        updateStack()
    }

    private func position(of key: ConversationKey) -> Int? { model.items.firstIndex { $0.key == key } }

    /// Rows show their account as soon as there is a second one.
    private func showAccounts() {
        let tags = Dictionary(uniqueKeysWithValues: accounts.rows.elements.map { ($0.id, accounts.tag(of: $0.id)) })
        // An account that goes offline knows no presence any more.
        guard tags != shownTags else { return showPresences() }
        shownTags = tags
        refreshRows()
    }

    private func refreshRows() {
        list.refreshRows { row in if let item = row.row { row.show(item) } }
    }

    private func showPresences() {
        list.refreshRows { $0.showPresence() }
    }

    private func presence(of key: ConversationKey) -> ContactPresence.Section? {
        guard key.kind == .direct, accounts.rows[key.account]?.connection.isOnline == true else { return nil }
        return contacts[.init(account: key.account, address: key.address)]?.section
    }

    private func showPlace() {
        header.show(isArchive: browser.place == .archive)
        _ = (browser.filter, browser.count)
        updateStack()
    }

    private func updateStack() {
        let isSearching = !conversations.searchText.isEmpty
        filters.root.isVisible = !isSearching
        defer { onStack() }
        guard isSearching else {
            stack.shown = model.count > 0 ? "list" : browser.filter == .all ? "empty" : "filtered"
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
        if isMovedByKey { onLook(model[index].key) } else { onOpen(model[index].key) }
    }

    private func activated(_ index: Int) {
        if index < model.count { onOpen(model[index].key) }
    }

    func pressed(_ key: KeyPress) -> Bool {
        if key.asksForMenu { return showMenuOfFocused() }
        switch key.key {
        case .up, .down, .home, .end, .pageUp, .pageDown:
            guard key.modifiers.isEmpty else { return false }
            isMovedByKey = true
            MainLoop.schedule { [weak self] in self?.isMovedByKey = false }
            return false
        case .tab:
            guard !key.modifiers.contains(.control) else { return false }
            // The list is one stop, not one for each row.
            if key.modifiers.contains(.shift) {
                if !filters.root.focusInside(atEnd: true) { header.bar.focusInside(atEnd: true) }
            } else {
                onTab()
            }
            return true
        default: return false
        }
    }

    /// Marks the conversation that is open.
    func show(open key: ConversationKey?) {
        guard key != openKey else { return withQuietSelection { showSelection() } }
        let before = openKey
        openKey = key
        browser.show(open: key)
        withQuietSelection { showSelection() }
        list.refreshRows { row in
            if let item = row.row, item.key == key || item.key == before { row.show(item) }
        }
    }

    private func showSelection() { list.selected = openKey.flatMap { position(of: $0) } }

    private func withQuietSelection(_ body: () -> Void) {
        guard let selection else { return body() }
        list.withoutHearingSelection(selection, body)
    }

    /// Opens the next or the previous conversation of the list.
    func openNeighbour(_ step: Int) {
        guard model.count > 0 else { return }
        let current = openKey.flatMap { position(of: $0) }
        let index = current.map { min(max($0 + step, 0), model.count - 1) } ?? 0
        onOpen(model[index].key)
        list.scroll(to: index)
    }

    /// Opens the next conversation with unread messages.
    func openNextUnread() {
        guard let key = browser.nextUnread(after: openKey) else { return }
        onOpen(key)
        if let index = position(of: key) { list.scroll(to: index) }
    }

    private func openFirst() {
        results.openFirst { [weak self] in self?.searchBar.isOpen = false }
    }

    func show(isNarrow: Bool) { header.show(isNarrow: isNarrow) }

    func startSearch() {
        searchBar.isOpen = true
        search.grabFocus()
    }

    // MARK: Menu

    /// The row that has the keyboard focus.
    var focusedRow: ConversationRow? { list.focused.flatMap { $0 < model.count ? model[$0] : nil } }

    /// Opens the menu of the focused row; `false` when no row has the focus.
    func showMenuOfFocused() -> Bool {
        guard let index = list.focused, index < model.count else { return false }
        var rowWidget: Widget?
        list.forEachRow { if $0 == index { rowWidget = $1.root } }
        guard let rowWidget else { return false }
        showMenu(model[index], rowWidget, Double(rowWidget.width) / 2, Double(rowWidget.height) / 2)
        return true
    }

    /// The menu that was opened last, for tests.
    private(set) weak var menu: Popover?

    private func showMenu(_ row: ConversationRow, _ widget: Widget, _ x: Double, _ y: Double) {
        guard let position = widget.translate(x: x, y: y, to: scroller), let menu = rowMenu(row) else { return }
        scroller.insert(menu.actions, prefix: "conversation")
        let popover = Popover(menu.menu)
        self.menu = popover
        popover.open(at: position.x, position.y, of: scroller)
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
