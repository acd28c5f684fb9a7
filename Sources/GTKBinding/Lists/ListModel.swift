internal import CGTK

/// The items of a list, stored in Swift and converted to objects only while GTK uses them.
///
/// GTK crashes if it gets a change with wrong numbers, so items change only through these methods, which count
/// themselves.
public final class ListModel<Item>: Object {
    private let store = Store()
    /// Called for items that look different, so that their rows are updated.
    var updated: [(Int, Item) -> Void] = []

    /// The items, in the form that GTK queries.
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

    /// Moves an item; `target` is the index after its removal.
    public func move(from source: Int, to target: Int, _ item: Item) {
        guard store.items.indices.contains(source), (0..<count).contains(target) else { return }
        remove(source..<source + 1)
        insert([item], at: target)
    }

    /// Updates the look of an item. Its row stays in place with its focus and selection.
    public func update(_ item: Item, at index: Int) {
        guard store.items.indices.contains(index) else { return }
        store.items[index] = item
        for tell in updated { tell(index, item) }
    }

    /// Replaces all items.
    public func show(_ items: [Item]) {
        let removed = count
        store.items = items
        if removed > 0 || !items.isEmpty { changed(at: 0, removed: removed, added: items.count) }
    }

    private func changed(at index: Int, removed: Int, added: Int) {
        g_list_model_items_changed(cast(), guint(index), guint(removed), guint(added))
    }
}
