internal import CGTK

/// A row of a list: a widget that is reused for one item after another.
public protocol ListRow: AnyObject {
    associatedtype Item: Equatable

    var root: Widget { get }

    /// Whether the current item can be activated; a heading cannot.
    var isActivatable: Bool { get }

    /// The name of the row for screen readers. It belongs to the list item, which has the focus, not to the content.
    /// `nil` leaves the content to name itself.
    var accessibleText: String? { get }

    /// Shows an item; called again when the same item looks different.
    func show(_ item: Item)

    /// The row is no longer visible: releases pictures and sounds.
    func clear()
}

extension ListRow {
    public var isActivatable: Bool { true }
    public var accessibleText: String? { nil }
    public func clear() {}
}

/// The number of live rows, for tests.
public enum ListRows {
    public internal(set) static var liveCount = 0
}

/// Creates rows, and binds them to items while the list is scrolled.
final class RowFactory<Row: ListRow>: Object {
    /// The Swift data of a row of GTK.
    private final class Holder {
        let row: Row

        init(_ row: Row) {
            self.row = row
            ListRows.liveCount += 1
        }

        isolated deinit { ListRows.liveCount -= 1 }
    }

    private let shown: ShownRows<Row>

    init(_ model: ListModel<Row.Item>, _ makeRow: @escaping () -> Row) {
        // The handlers retain it, so it lives as long as GTK's factory.
        let shown = ShownRows<Row>()
        self.shown = shown
        super.init(adopting: UnsafeMutableRawPointer(gtk_signal_list_item_factory_new()))
        let key = g_quark_from_static_string("hongyan-row")
        connect("setup") { call in
            guard let item = call.object(1) else { return }
            let row = makeRow()
            gtk_list_item_set_child(OpaquePointer(item), row.root.widget)
            g_object_set_qdata_full(
                item.assumingMemoryBound(to: GObject.self), key,
                Unmanaged<AnyObject>.passRetained(Holder(row)).toOpaque(),
                { data in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } })
        }
        connect("bind") { call in
            guard let item = call.object(1), let row = Self.row(item, key),
                let object = gtk_list_item_get_item(OpaquePointer(item)),
                let box = SwiftBox.payload(UnsafeMutableRawPointer(object)) as? ItemBox<Row.Item>
            else { return }
            shown.bind(row, to: box.item, item)
        }
        connect("unbind") { call in
            guard let item = call.object(1) else { return }
            shown.unbind(item)
        }
        connect("teardown") { call in
            guard let item = call.object(1) else { return }
            gtk_list_item_set_child(OpaquePointer(item), nil)
            g_object_set_qdata(item.assumingMemoryBound(to: GObject.self), key, nil)
        }
        model.updated.append { [weak shown] index, item in shown?.update(item, at: index) }
        model.changing.append { [weak shown] in shown?.isChanging = $0 }
    }

    func forEachRow(_ body: (Int, Row) -> Void) { shown.forEachRow(body) }

    func refreshRows(_ body: (Row) -> Void) { shown.refreshRows(body) }

    /// The index of the item whose row has the focus.
    var focused: Int? { shown.focused }

    /// The row of an item, if it has one.
    func row(at index: Int) -> Row? { shown.row(at: index) }

    func focus(on index: Int) -> Bool { shown.focus(on: index) }

    private static func row(_ item: UnsafeMutableRawPointer, _ key: GQuark) -> Row? {
        g_object_get_qdata(item.assumingMemoryBound(to: GObject.self), key).map {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
        }.flatMap { ($0 as? Holder)?.row }
    }
}

/// The rows that are bound to an item, by GTK's object for them.
private final class ShownRows<Row: ListRow> {
    private typealias Shown = (row: Row, content: Row.Item)

    private var bound: [UnsafeMutableRawPointer: Shown] = [:]
    /// What was unbound during the current change of the model.
    private var unbound: [UnsafeMutableRawPointer: Shown] = [:]
    /// While items are inserted or removed, GTK 4.8 unbinds all rows below and binds them again, most of them to the same item. These
    /// need not be shown again.
    var isChanging = false {
        didSet {
            guard !isChanging else { return }
            for former in unbound.values { former.row.clear() }
            unbound = [:]
        }
    }

    func bind(_ row: Row, to content: Row.Item, _ item: UnsafeMutableRawPointer) {
        bound[item] = (row, content)
        if let former = unbound.removeValue(forKey: item) {
            if former.row === row, former.content == content { return }
            former.row.clear()
        }
        Self.show(content, in: row, item)
    }

    func unbind(_ item: UnsafeMutableRawPointer) {
        guard let former = bound.removeValue(forKey: item) else { return }
        if isChanging { unbound[item] = former } else { former.row.clear() }
    }

    func forEachRow(_ body: (Int, Row) -> Void) {
        for (item, shown) in bound {
            let position = gtk_list_item_get_position(OpaquePointer(item))
            if position != GTK_INVALID_LIST_POSITION { body(Int(position), shown.row) }
        }
    }

    func row(at index: Int) -> Row? {
        bound.first { Int(gtk_list_item_get_position(OpaquePointer($0.key))) == index }?.value.row
    }

    func update(_ newItem: Row.Item, at index: Int) {
        for (item, shown) in bound where Int(gtk_list_item_get_position(OpaquePointer(item))) == index {
            bound[item] = (shown.row, newItem)
            // GTK may give the same box to another row later.
            if let object = gtk_list_item_get_item(OpaquePointer(item)),
                let box = SwiftBox.payload(UnsafeMutableRawPointer(object)) as? ItemBox<Row.Item>
            {
                box.item = newItem
            }
            Self.show(newItem, in: shown.row, item)
        }
    }

    func refreshRows(_ body: (Row) -> Void) {
        for (item, shown) in bound {
            body(shown.row)
            Self.label(shown.row, item)
        }
    }

    private static func show(_ content: Row.Item, in row: Row, _ item: UnsafeMutableRawPointer) {
        row.show(content)
        gtk_list_item_set_activatable(OpaquePointer(item), row.isActivatable.gboolean)
        label(row, item)
    }

    /// Says to screen readers what the row shows.
    private static func label(_ row: Row, _ item: UnsafeMutableRawPointer) {
        if let text = row.accessibleText, let outer = gtk_widget_get_parent(row.root.widget) {
            Widget.update(outer, .label, text)
        }
    }

    func focus(on index: Int) -> Bool {
        for (item, shown) in bound where Int(gtk_list_item_get_position(OpaquePointer(item))) == index {
            guard let outer = gtk_widget_get_parent(shown.row.root.widget) else { return false }
            return gtk_widget_grab_focus(outer).isTrue
        }
        return false
    }

    var focused: Int? {
        for (item, shown) in bound {
            // The focus is in GTK's own row around ours, or in something inside it.
            guard let outer = gtk_widget_get_parent(shown.row.root.widget),
                gtk_widget_get_focus_child(outer) != nil
                    || gtk_widget_is_focus(outer).isTrue
            else { continue }
            let position = gtk_list_item_get_position(OpaquePointer(item))
            return position == GTK_INVALID_LIST_POSITION ? nil : Int(position)
        }
        return nil
    }
}
