internal import CGTK

/// The items of a list, stored in Swift and converted to objects only while GTK uses them.
///
/// GTK crashes if it gets a change with wrong numbers, so items change only through these methods, which count
/// themselves.
public final class ListModel<Item>: Object {
    private let store = Store()
    /// Called for items that look different, so that their rows are updated.
    var updated: [(Int, Item) -> Void] = []
    /// Called with `true` before items are inserted or removed, and with `false` afterwards.
    var changing: [(Bool) -> Void] = []

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
        for tell in changing { tell(true) }
        g_list_model_items_changed(cast(), guint(index), guint(removed), guint(added))
        for tell in changing { tell(false) }
    }
}

/// The data source of a ``SwiftListModel``.
class ListSource {
    init() {}

    var count: Int { 0 }
    func object(at index: Int) -> AnyObject { self }
}

/// A GObject class, registered from Swift, that implements GListModel with a ``ListSource``.
enum SwiftListModel {
    /// The memory layout of C: the instance of the parent class comes first.
    private struct Instance {
        var parent: GObject
        var source: Unmanaged<ListSource>?
    }

    private static var finalizeParent: (@convention(c) (UnsafeMutablePointer<GObject>?) -> Void)?

    private static let type: GType = {
        let type = g_type_register_static_simple(
            FundamentalType.object, "HongyanListModel", guint(MemoryLayout<GObjectClass>.size),
            { klass, _ in
                guard let klass = klass?.assumingMemoryBound(to: GObjectClass.self) else { return }
                SwiftListModel.finalizeParent = klass.pointee.finalize
                klass.pointee.finalize = { object in
                    guard let object else { return }
                    let model = UnsafeMutableRawPointer(object).assumingMemoryBound(to: Instance.self)
                    model.pointee.source?.release()
                    model.pointee.source = nil
                    SwiftListModel.finalizeParent?(object)
                }
            },
            guint(MemoryLayout<Instance>.stride), nil, GTypeFlags(rawValue: 0))
        var interface = GInterfaceInfo(
            interface_init: { interface, _ in
                guard let interface = interface?.assumingMemoryBound(to: GListModelInterface.self) else { return }
                interface.pointee.get_item_type = { _ in SwiftBox.type }
                interface.pointee.get_n_items = { model in guint(SwiftListModel.source(of: model)?.count ?? 0) }
                interface.pointee.get_item = { model, position in
                    guard let source = SwiftListModel.source(of: model), Int(position) < source.count else {
                        return nil
                    }
                    return SwiftBox.make(source.object(at: Int(position)))
                }
            }, interface_finalize: nil, interface_data: nil)
        g_type_add_interface_static(type, g_list_model_get_type(), &interface)
        return type
    }()

    /// Creates a model and returns a strong reference.
    static func make(_ source: ListSource) -> UnsafeMutableRawPointer {
        let model = UnsafeMutableRawPointer(g_object_new_with_properties(type, 0, nil, nil))
        model.assumingMemoryBound(to: Instance.self).pointee.source = Unmanaged.passRetained(source)
        return model
    }

    private static func source(of model: OpaquePointer?) -> ListSource? {
        guard let model else { return nil }
        return UnsafeMutableRawPointer(model).assumingMemoryBound(to: Instance.self).pointee.source?
            .takeUnretainedValue()
    }
}
