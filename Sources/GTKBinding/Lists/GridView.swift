internal import CGTK

/// A list of any length whose items stand beside each other in lines, as many as there is room for; only those near the screen are
/// widgets.
///
///     let grid = GridView(model, columns: 2...8) { PictureTile() }
public final class GridView<Row: ListRow>: Widget {
    public let model: ListModel<Row.Item>
    private let factory: RowFactory<Row>
    private let selection: Object

    /// - Parameter columns: how many items stand in a line at least and at most.
    public init(_ model: ListModel<Row.Item>, columns: ClosedRange<Int>, makeRow: @escaping () -> Row) {
        self.model = model
        factory = RowFactory(model, makeRow)
        // What is given to these constructors is theirs from then on.
        g_object_ref(model.raw)
        selection = Object(adopting: UnsafeMutableRawPointer(gtk_no_selection_new(model.cast())))
        g_object_ref(selection.raw)
        g_object_ref(factory.raw)
        super.init(adopting: UnsafeMutableRawPointer(gtk_grid_view_new(selection.cast(), factory.cast())))
        gtk_grid_view_set_min_columns(cast(), guint(columns.lowerBound))
        gtk_grid_view_set_max_columns(cast(), guint(columns.upperBound))
    }

    /// An item was clicked twice, or Return pressed on it; once where ``activatesOnClick()`` was said.
    public func onActivate(_ body: @escaping (Int) -> Void) {
        connect("activate") { call in body(Int(call.unsigned(1))) }
    }

    @discardableResult
    public func activatesOnClick() -> Self {
        gtk_grid_view_set_single_click_activate(cast(), 1)
        return self
    }

    /// The number of the item that has the keyboard.
    public var focused: Int? { factory.focused }

    /// Calls `body` with each item that is a widget now, and its number; some of them are out of sight.
    public func forEachRow(_ body: (Int, Row) -> Void) { factory.forEachRow(body) }
}
