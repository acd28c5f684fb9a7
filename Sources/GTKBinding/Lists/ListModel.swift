internal import CGTK

/// What a list shows: items kept in Swift, made into objects only while GTK looks at them.
///
/// GTK must be told each change with the right numbers, or it crashes; so the items change only through these methods,
/// which count themselves.
public final class ListModel<Item>: Object {
    private let store = Store()
    /// Told of items that look different, so that rows which show them are drawn anew.
    var updated: [(Int, Item) -> Void] = []

    /// The items, as GTK's side asks for them.
    private final class Store: ListSource {
        var items: [Item] = []

        override var count: Int { items.count }
        override func object(at index: Int) -> AnyObject { ItemBox(items[index]) }
    }

    public init(_ items: [Item] = []) {
        super.init(adopting: SwiftListModel.make(store))
        store.items = items
    }

    public var items: [Item] { store.items }
    public var count: Int { store.items.count }
    public subscript(index: Int) -> Item { store.items[index] }

    public func append(_ item: Item) { insert([item], at: count) }

    public func insert(_ items: [Item], at index: Int) {
        guard !items.isEmpty, (0...count).contains(index) else { return }
        store.items.insert(contentsOf: items, at: index)
        changed(at: index, removed: 0, added: items.count)
    }

    public func remove(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<count)
        guard !range.isEmpty else { return }
        store.items.removeSubrange(range)
        changed(at: range.lowerBound, removed: range.count, added: 0)
    }

    /// An item goes elsewhere; `target` counts without it.
    public func move(from source: Int, to target: Int, _ item: Item) {
        guard store.items.indices.contains(source), (0..<count).contains(target) else { return }
        remove(source..<source + 1)
        insert([item], at: target)
    }

    /// An item looks different. The row that shows it stays where it is and is drawn anew, with its focus and selection.
    public func update(_ item: Item, at index: Int) {
        guard store.items.indices.contains(index) else { return }
        store.items[index] = item
        for tell in updated { tell(index, item) }
    }

    /// Shows other items altogether.
    public func show(_ items: [Item]) {
        let removed = count
        store.items = items
        if removed > 0 || !items.isEmpty { changed(at: 0, removed: removed, added: items.count) }
    }

    private func changed(at index: Int, removed: Int, added: Int) {
        g_list_model_items_changed(cast(), guint(index), guint(removed), guint(added))
    }
}
