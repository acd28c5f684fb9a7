internal import ChatEngine
internal import ChatModel
internal import GTKBinding
internal import Localization

/// The list of the public rooms of a service, to choose one.
final class RoomDirectory {
    let root: Widget
    var onChoice: (RoomListing) -> Void = { _ in }
    /// Called when Escape was pressed in the search field.
    var onStop: () -> Void = {}

    private let model: RoomEntryModel
    private let items = ListModel<RoomListing>()
    private let list: ListView<RoomListingRow>
    let search = SearchEntry(placeholder: localized("Search rooms"))
    private let stack = Stack()
    private var before = ""
    private var isOpen = false

    init(_ model: RoomEntryModel) {
        self.model = model
        list = ListView(items, selection: .none) { RoomListingRow() }
        list.activatesOnClick().css("people").accessible(label: localized("Public rooms"))
        stack.add(ScrolledWindow(list), name: "list")
        stack.add(StatusPage(icon: "system-search-symbolic", title: localized("Nothing Found")), name: "nothing")
        root = Box.vertical(search.margins(horizontal: 12, vertical: 6), stack.expand(.vertical))
        search.accessible(label: localized("Search rooms"))
        search.onSearch { [weak self] text in
            guard let self, self.isOpen else { return }
            self.model.text = text
        }
        search.onStop { [weak self] in self?.onStop() }
        list.onActivate { [weak self] index in
            guard let self, index < self.items.count else { return }
            self.isOpen = false
            self.onChoice(self.items[index])
        }
        observe(self) { view in view.show() }
    }

    /// Shows all rooms, without the text that was typed before.
    func begin() {
        before = model.text
        isOpen = true
        search.text = ""
        model.text = ""
        show()
    }

    /// Restores the text that was typed before.
    func restoreSearch() {
        isOpen = false
        model.text = before
    }

    func focus() { search.grabFocus() }

    private func show() {
        let found = model.suggestions
        guard isOpen else { return }
        items.show(found)
        stack.shown = found.isEmpty ? "nothing" : "list"
    }
}

/// One row of the list of public rooms.
final class RoomListingRow: ListRow {
    let root: Widget
    private(set) var accessibleText: String?
    private let name = Label().ellipsize().textAlignment(0)
    private let address = Label().ellipsize(inMiddle: true).textAlignment(0).css("caption", "dim-label")

    init() {
        root = Box.vertical(spacing: 2, name, address).margins(horizontal: 12, vertical: 8)
    }

    func show(_ item: RoomListing) {
        name.text = item.name
        address.text = item.address.description
        accessibleText = "\(item.name), \(item.address)"
    }
}
