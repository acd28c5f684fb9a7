internal import CGTK

/// A list of any length in which only rows near the visible area are widgets.
///
///     let model = ListModel<Contact>()
///     let list = ListView(model, selection: .none) { ContactRow() }
public final class ListView<Row: ListRow>: Widget {
    public enum Selection {
        /// Rows cannot be selected.
        case none
        /// At most one row is selected.
        case single
    }

    public let model: ListModel<Row.Item>
    private let factory: RowFactory<Row>
    private let selection: Object

    public init(_ model: ListModel<Row.Item>, selection kind: Selection, makeRow: @escaping () -> Row) {
        ListHeight.dependsOnWidth
        self.model = model
        factory = RowFactory(model, makeRow)
        // These constructors take ownership of their arguments.
        g_object_ref(model.raw)
        switch kind {
        case .none:
            selection = Object(adopting: UnsafeMutableRawPointer(gtk_no_selection_new(model.cast())))
        case .single:
            selection = Object(adopting: UnsafeMutableRawPointer(gtk_single_selection_new(nil)))
            gtk_single_selection_set_autoselect(selection.cast(), 0)
            gtk_single_selection_set_can_unselect(selection.cast(), 1)
            gtk_single_selection_set_model(selection.cast(), model.cast())
            g_object_unref(model.raw)
        }
        g_object_ref(selection.raw)
        g_object_ref(factory.raw)
        super.init(adopting: UnsafeMutableRawPointer(gtk_list_view_new(selection.cast(), factory.cast())))
        isSelecting = kind == .single
        oneTabStop()
    }

    private var isSelecting = false

    /// The index of the selected row; `nil` if there is none, and in lists without selection.
    public var selected: Int? {
        get {
            isSelecting ? Self.selected(in: selection.cast()) : nil
        }
        set {
            guard isSelecting, newValue != selected else { return }
            gtk_single_selection_set_selected(
                selection.cast(), newValue.map { guint($0) } ?? guint(GTK_INVALID_LIST_POSITION))
        }
    }

    private static func selected(in selection: OpaquePointer) -> Int? {
        let index = gtk_single_selection_get_selected(selection)
        return index == GTK_INVALID_LIST_POSITION ? nil : Int(index)
    }

    @discardableResult
    public func onSelect(_ body: @escaping (Int?) -> Void) -> Connection {
        let isSelecting = isSelecting
        return selection.on(
            "notify::selected", reading: { isSelecting ? Self.selected(in: $0.cast()) : nil }, body)
    }

    /// Performs changes without calling the handler of ``onSelect(_:)``.
    public func withoutHearingSelection(_ connection: Connection, _ body: () -> Void) {
        selection.withoutHearing(connection, body)
    }

    /// Calls `body` when a row was double-clicked, or Return was pressed on it; on a single click with
    /// ``activatesOnClick()``.
    public func onActivate(_ body: @escaping (Int) -> Void) {
        connect("activate") { call in body(Int(call.unsigned(1))) }
    }

    @discardableResult
    public func activatesOnClick() -> Self {
        gtk_list_view_set_single_click_activate(cast(), 1)
        return self
    }

    /// Scrolls a row into view. Before the first layout, wait for a frame.
    public func scroll(to index: Int) {
        guard (0..<model.count).contains(index) else { return }
        let row = Variant(UInt32(index))
        // The action takes no reference, also not a floating one.
        withExtendedLifetime(row) { _ = gtk_widget_activate_action_variant(widget, "list.scroll-to-item", row.raw) }
    }

    /// The index of the item whose row has the focus.
    public var focused: Int? { factory.focused }

    /// The row of an item; `nil` if it is far from the visible area.
    public func row(at index: Int) -> Row? { factory.row(at: index) }

    /// Moves the focus to the row of an item, if it has a widget.
    @discardableResult
    public func focus(on index: Int) -> Bool { factory.focus(on: index) }

    /// Calls `body` with each row that has a widget, and the index of its item; some of them are not visible.
    public func forEachRow(_ body: (Int, Row) -> Void) { factory.forEachRow(body) }

    /// Calls `body` with each row that has a widget, to show what changed beside its item; screen readers learn it too.
    public func refreshRows(_ body: (Row) -> Void) { factory.refreshRows(body) }
}

/// GTK 4.8 measures a list that is not stretched as if its rows were as wide as they like, and cuts off the lines that
/// wrapping adds.
private enum ListHeight {
    static let dependsOnWidth: Void = {
        let kind = g_type_class_ref(gtk_list_view_get_type())
        kind?.assumingMemoryBound(to: GtkWidgetClass.self).pointee.get_request_mode = { _ in
            GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH
        }
    }()
}

/// A grid of any number of items, with as many columns as fit; only items near the visible area have widgets.
///
///     let grid = GridView(model, columns: 2...8) { PictureTile() }
public final class GridView<Row: ListRow>: Widget {
    public let model: ListModel<Row.Item>
    private let factory: RowFactory<Row>
    private let selection: Object

    /// - Parameter columns: the minimum and maximum number of columns.
    public init(_ model: ListModel<Row.Item>, columns: ClosedRange<Int>, makeRow: @escaping () -> Row) {
        self.model = model
        factory = RowFactory(model, makeRow)
        // These constructors take ownership of their arguments.
        g_object_ref(model.raw)
        selection = Object(adopting: UnsafeMutableRawPointer(gtk_no_selection_new(model.cast())))
        g_object_ref(selection.raw)
        g_object_ref(factory.raw)
        super.init(adopting: UnsafeMutableRawPointer(gtk_grid_view_new(selection.cast(), factory.cast())))
        gtk_grid_view_set_min_columns(cast(), guint(columns.lowerBound))
        gtk_grid_view_set_max_columns(cast(), guint(columns.upperBound))
        oneTabStop()
    }

    /// Calls `body` when an item was double-clicked, or Return was pressed on it; on a single click with
    /// ``activatesOnClick()``.
    public func onActivate(_ body: @escaping (Int) -> Void) {
        connect("activate") { call in body(Int(call.unsigned(1))) }
    }

    @discardableResult
    public func activatesOnClick() -> Self {
        gtk_grid_view_set_single_click_activate(cast(), 1)
        return self
    }

    /// The index of the focused item.
    public var focused: Int? { factory.focused }

    /// Calls `body` with each item that has a widget, and its index; some of them are not visible.
    public func forEachRow(_ body: (Int, Row) -> Void) { factory.forEachRow(body) }
}
