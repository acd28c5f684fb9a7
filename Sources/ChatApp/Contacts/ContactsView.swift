internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The contacts of all accounts: who is there, who is away, who is not; found by name or address.
final class ContactsView {
    let root: Widget
    let header: HeaderBar
    let search = SearchEntry(placeholder: localized("Search contacts"))
    /// Somebody was chosen to talk to.
    var onOpen: (ConversationKey) -> Void = { _ in }
    /// The way back to the conversations was taken.
    var onClose: () -> Void = {}

    private let contacts: ContactList
    private let wishes: (ContactRow.ID) -> ContactWishes?
    private let addContact: (String) -> Void
    private let model = ListModel<ContactListItem>()
    let list: ListView<ContactListRow>
    private let stack = Stack()
    private let scroller: ScrolledWindow
    private let addSearched = Button(localized("_Add a contact…")).css("pill").align(horizontal: .center)
    private var searchText = ""
    private var diffs: ListObservation?

    /// - Parameters:
    ///   - wishes: what can be done with a contact; `nil` where its account is not at work.
    ///   - addContact: asks for the address of somebody; gets what was searched for.
    init(
        _ contacts: ContactList, _ avatars: AvatarLoader, wishes: @escaping (ContactRow.ID) -> ContactWishes?,
        addContact: @escaping (String) -> Void
    ) {
        self.contacts = contacts
        self.wishes = wishes
        self.addContact = addContact
        weak var view: ContactsView?
        list = ListView(model, selection: .none) {
            let row = ContactListRow(avatars)
            row.onMenu = { view?.showMenu($0, $1, $2, $3) }
            return row
        }
        list.activatesOnClick().accessible(label: localized("Contacts"))
        scroller = ScrolledWindow(list).expand(.vertical)
        let back = Button(icon: "go-previous-symbolic").named(localized("Back to the conversations"))
        let add = Button(icon: "contact-new-symbolic").named(localized("Add a contact")).action("win.add-contact")
        header = HeaderBar(title: WindowTitle(localized("Contacts")))
        header.prepend(back)
        header.append(add)
        let begin = Button(localized("_Add a contact…")).css("pill", "suggested-action").align(horizontal: .center)
        begin.action("win.add-contact")
        stack.add(scroller, name: "list")
        stack.add(
            StatusPage(
                icon: "system-users-symbolic", title: localized("No contacts yet"),
                description: localized("Add somebody by the address. It looks like romeo@example.org."), begin),
            name: "empty")
        stack.add(
            StatusPage(
                icon: "system-search-symbolic", title: localized("Nothing found"),
                description: localized("Nobody among your contacts is called so."), addSearched), name: "nothing")
        root = Box.vertical(header, search.margins(horizontal: 8, vertical: 6), stack.expand(.vertical)).css("sidebar")
        root.minimumSize(width: 300).expand(.horizontal, when: false)
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
        back.onClick { [weak self] in self?.onClose() }
        addSearched.onClick { [weak self] in if let self { self.addContact(self.searchText) } }
        list.onActivate { [weak self] in self?.open($0) }
        root.onKey(.bubble) { [weak self] in self?.pressed($0) ?? false }
        diffs = contacts.rows.observe { [weak self] _ in self?.show() }
        show()
    }

    // MARK: What is shown

    private func show() {
        let isSearching = !searchText.isEmpty
        let items = ContactListItem.items(isSearching ? contacts.find(searchText) : contacts.all)
        model.apply(ListDiff(from: model.items, to: items))
        stack.shown = !items.isEmpty ? "list" : isSearching ? "nothing" : "empty"
    }

    /// Shows only those in whose name or address all of the words are.
    func find(_ text: String) {
        guard text != searchText else { return }
        searchText = text
        show()
        if model.count > 0 { scroller.offset = 0 }
    }

    /// What the list shows, from the top.
    var items: [ContactListItem] { model.items }
    /// Which of its pages is to be seen.
    var page: String? { stack.shown }

    /// The keyboard goes to where a name can be typed.
    func focus() { search.grabFocus() }

    /// The next time it begins with everybody.
    func clearSearch() {
        search.text = ""
        find("")
    }

    // MARK: What the person does

    /// Opens the conversation with who stands at a place of the list; nothing where that is a heading.
    func open(_ index: Int) {
        guard model.items.indices.contains(index), let row = model[index].contact else { return }
        onOpen(row.conversation)
    }

    /// Opens the conversation with the first one of those that were found.
    func openFirst() {
        if let row = model.items.lazy.compactMap(\.contact).first { onOpen(row.conversation) }
    }

    private func stop() {
        if search.text.isEmpty { onClose() } else { clearSearch() }
    }

    private func pressed(_ key: KeyPress) -> Bool {
        // The keyboard is in GTK's own row, around ours.
        if key.asksForMenu { return showMenuOfFocused() }
        guard key.key == .escape else { return false }
        onClose()
        return true
    }

    /// Opens the menu of who has the keyboard; `false` where that is nobody.
    func showMenuOfFocused() -> Bool {
        guard let index = list.focused, index < model.count, let row = model[index].contact else { return false }
        var place: Widget?
        list.forEachRow { if $0 == index { place = $1.root } }
        guard let place else { return false }
        showMenu(row, place, Double(place.width) / 2, Double(place.height) / 2)
        return true
    }

    private func showMenu(_ row: ContactRow, _ widget: Widget, _ x: Double, _ y: Double) {
        guard let place = widget.translate(x: x, y: y, to: scroller) else { return }
        Task { [wishes, weak self] in
            guard let menu = await ContactMenu.menu(wishes(row.id)), let self else { return }
            self.scroller.insert(menu.actions, prefix: "contact")
            Popover(menu.menu).open(at: place.x, place.y, of: self.scroller)
        }
    }
}
