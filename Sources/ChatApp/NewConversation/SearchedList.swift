internal import GTKBinding

/// A search field and the list of what it finds: the arrow keys select a row, Return opens the selected one.
final class SearchedList {
    let search: SearchEntry
    let scroller: ScrolledWindow
    /// Called with the row that is opened.
    var onOpen: (Int) -> Void = { _ in }
    /// Called when Escape is pressed in the search field.
    var onStop: () -> Void = {}

    private let list = ListBox().css("boxed-list").selectable()
    private var count = 0
    private var selected = 0

    /// - Parameters:
    ///   - placeholder: of the search field, and its name for a screen reader.
    ///   - name: of the list, for a screen reader.
    ///   - empty: shown while there are no rows.
    ///   - content: what is scrolled, around the list.
    init(placeholder: String, name: String, empty: Widget, content: (ListBox) -> Widget) {
        search = SearchEntry(placeholder: placeholder)
        scroller = ScrolledWindow(content(list)).expand(.vertical)
        search.accessible(label: placeholder)
        list.accessible(label: name).oneTabStop()
        list.show(placeholder: empty)
        list.onActivate { [weak self] in self?.onOpen($0) }
        search.onActivate { [weak self] in if let self { self.onOpen(self.selected) } }
        search.onStop { [weak self] in self?.onStop() }
        search.onKey { [weak self] key in
            switch key.key {
            case .down: self?.select(1)
            case .up: self?.select(-1)
            default: return false
            }
            return true
        }
    }

    /// Shows other rows; the same place stays selected.
    func show(_ rows: [Widget]) {
        list.removeAll()
        for row in rows { list.append(row) }
        count = rows.count
        selected = min(selected, max(0, count - 1))
        list.select(count == 0 ? nil : selected)
    }

    /// Selects the first of the rows that are shown next.
    func selectFirst() { selected = 0 }

    private func select(_ step: Int) {
        guard count > 0 else { return }
        selected = min(max(selected + step, 0), count - 1)
        list.select(selected)
        list.scroll(to: selected, in: scroller)
    }
}
