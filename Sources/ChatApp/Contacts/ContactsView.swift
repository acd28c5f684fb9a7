internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The contact list of all accounts, by presence, searchable by name or address.
final class ContactsView {
    let root: Widget
    let header: HeaderBar
    let search = SearchEntry(placeholder: localized("Search contacts"))
    /// Called when a contact was chosen.
    var onOpen: (ConversationKey) -> Void = { _ in }
    /// Called when the user returns to the conversations.
    var onClose: () -> Void = {}

    private let contacts: ContactList
    private let actions: (ContactRow.ID) -> ContactActions?
    private let addContact: (String) -> Void
    private let model = ListModel<ContactListItem>()
    let list: ListView<ContactListRow>
    private let stack = Stack()
    private let scroller: ScrolledWindow
    let group = ContactGroupButton()
    private let addSearched = Button(localized("_Add a Contact…")).css("pill").align(horizontal: .center)
    private var searchText = ""
    /// The question whether to delete a contact that was asked last.
    private(set) var deletion: MessageDialog?
    private var diffs: ListObservation?

    /// - Parameters:
    ///   - actions: the actions on a contact; `nil` when its account is not running.
    ///   - addContact: opens the form for a new contact with the text that was searched for.
    init(
        _ contacts: ContactList, _ avatars: AvatarLoader, actions: @escaping (ContactRow.ID) -> ContactActions?,
        addContact: @escaping (String) -> Void
    ) {
        self.contacts = contacts
        self.actions = actions
        self.addContact = addContact
        weak var view: ContactsView?
        list = ListView(model, selection: .none) {
            let row = ContactListRow(avatars)
            row.onMenu = { view?.showMenu($0, $1, $2, $3) }
            row.onSwipe = { view?.delete($0) }
            return row
        }
        list.activatesOnClick().accessible(label: localized("Contacts"))
        scroller = ScrolledWindow(list).expand(.vertical)
        let back = Button(icon: "go-previous-symbolic").named(localized("Back to the Conversations"))
        let add = Button(icon: "contact-new-symbolic").named(localized("Add a Contact")).action("win.add-contact")
        header = HeaderBar(title: WindowTitle(localized("Contacts")))
        header.prepend(back)
        header.append(add)
        let begin = Button(localized("_Add a Contact…")).css("pill", "suggested-action").align(horizontal: .center)
        begin.action("win.add-contact")
        stack.add(scroller, name: "list")
        stack.add(
            StatusPage(
                icon: "system-users-symbolic", title: localized("No Contacts Yet"),
                description: localized("Add a contact by address, such as romeo@example.org."), begin),
            name: "empty")
        stack.add(
            StatusPage(
                icon: "system-search-symbolic", title: localized("Nothing Found"),
                description: localized("No contacts found"), addSearched), name: "nothing")
        root = Box.vertical(
            header, search.margins(horizontal: 8, vertical: 6), group.button, stack.expand(.vertical)
        ).css("sidebar")
        root.expand(.horizontal, when: false)
        view = self

        search.accessible(label: localized("Search contacts"))
        search.captureKeys(of: root)
        search.onSearch { [weak self] in self?.find($0) }
        search.onActivate { [weak self] in self?.openFirst() }
        search.onStop { [weak self] in self?.stop() }
        search.onKey { [weak self] key in
            guard key.key == .down, let self, self.model.count > 0 else { return false }
            return self.list.grabFocus()
        }
        group.onChoice = { [weak self] in self?.showGroup() }
        back.onClick { [weak self] in self?.onClose() }
        addSearched.onClick { [weak self] in if let self { self.addContact(self.searchText) } }
        list.onActivate { [weak self] in self?.open($0) }
        root.onKey(.bubble) { [weak self] in self?.pressed($0) ?? false }
        diffs = contacts.rows.observe { [weak self] _ in self?.show() }
        show()
    }

    // MARK: Content

    private func show() {
        let isSearching = !searchText.isEmpty
        group.show(contacts.groups)
        let found = isSearching ? contacts.find(searchText) : contacts.all
        let items = ContactListItem.items(
            group.group.map { chosen in found.filter { $0.groups.contains(chosen) } } ?? found)
        model.apply(ListDiff(from: model.items, to: items))
        stack.shown = !items.isEmpty ? "list" : isSearching ? "nothing" : "empty"
    }

    private func showGroup() {
        show()
        if model.count > 0 { scroller.offset = 0 }
    }

    /// Shows the contacts whose name or address contains every word of `text`.
    func find(_ text: String) {
        guard text != searchText else { return }
        searchText = text
        show()
        if model.count > 0 { scroller.offset = 0 }
    }

    /// The rows of the list, from the top.
    var items: [ContactListItem] { model.items }
    /// The name of the visible page of the stack.
    var page: String? { stack.shown }

    /// Focuses the search field.
    func focus() { search.grabFocus() }

    /// Clears the search, so that all contacts are shown again.
    func clearSearch() {
        search.text = ""
        find("")
    }

    // MARK: Actions

    /// Opens the conversation with the contact at an index; does nothing for a heading.
    func open(_ index: Int) {
        guard model.items.indices.contains(index), let row = model[index].contact else { return }
        onOpen(row.conversation)
    }

    /// Opens the conversation with the first contact found.
    func openFirst() {
        if let row = model.items.lazy.compactMap(\.contact).first { onOpen(row.conversation) }
    }

    private func stop() {
        if search.text.isEmpty { onClose() } else { clearSearch() }
    }

    private func pressed(_ key: KeyPress) -> Bool {
        // The focused widget is GTK's row around ours.
        if key.asksForMenu { return showMenuOfFocused() }
        if key.key == .delete, let row = focusedContact {
            delete(row)
            return true
        }
        guard key.key == .escape else { return false }
        onClose()
        return true
    }

    private var focusedContact: ContactRow? {
        list.focused.flatMap { $0 < model.count ? model[$0].contact : nil }
    }

    /// Asks whether to delete a contact: after a swipe, or the key Delete.
    func delete(_ row: ContactRow) {
        guard let actions = actions(row.id) else { return }
        Task { [weak self] in
            await actions.model.refresh()
            self?.deletion = actions.delete()
        }
    }

    /// Opens the menu of the focused contact; `false` when no contact has the focus.
    func showMenuOfFocused() -> Bool {
        guard let index = list.focused, let row = focusedContact else { return false }
        var rowWidget: Widget?
        list.forEachRow { if $0 == index { rowWidget = $1.root } }
        guard let rowWidget else { return false }
        showMenu(row, rowWidget, Double(rowWidget.width) / 2, Double(rowWidget.height) / 2)
        return true
    }

    private func showMenu(_ row: ContactRow, _ widget: Widget, _ x: Double, _ y: Double) {
        guard let position = widget.translate(x: x, y: y, to: scroller) else { return }
        Task { [actions, weak self] in
            guard let menu = await ContactMenu.menu(actions(row.id)), let self else { return }
            self.scroller.insert(menu.group, prefix: "contact")
            Popover(menu.menu).open(at: position.x, position.y, of: self.scroller)
        }
    }
}
