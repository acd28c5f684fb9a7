internal import CGTK

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
