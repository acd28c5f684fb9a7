internal import CGTK

/// A list of any length, of which only the rows near the screen are widgets.
///
///     let model = ListModel<Contact>()
///     let list = ListView(model, selection: .none) { ContactRow() }
public final class ListView<Row: ListRow>: Widget {
    public enum Selection {
        /// Rows are only looked at.
        case none
        /// One row is selected, or none.
        case single
    }

    public let model: ListModel<Row.Item>
    private let factory: RowFactory<Row>
    private let selection: Object

    public init(_ model: ListModel<Row.Item>, selection kind: Selection, makeRow: @escaping () -> Row) {
        self.model = model
        factory = RowFactory(model, makeRow)
        // What is given to these constructors is theirs from then on.
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
    }

    private var isSelecting = false

    /// The selected row; `nil` where there is none, and in lists without a selection.
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

    /// Does something of which the handler of ``onSelect(_:)`` shall not hear.
    public func withoutHearingSelection(_ connection: Connection, _ body: () -> Void) {
        selection.withoutHearing(connection, body)
    }

    /// A row was clicked twice, or Return pressed on it; once where ``activatesOnClick()`` was said.
    public func onActivate(_ body: @escaping (Int) -> Void) {
        connect("activate") { call in body(Int(call.unsigned(1))) }
    }

    @discardableResult
    public func activatesOnClick() -> Self {
        gtk_list_view_set_single_click_activate(cast(), 1)
        return self
    }

    /// Brings a row into view. Before the first layout, wait for a frame.
    public func scroll(to index: Int) {
        guard (0..<model.count).contains(index) else { return }
        gtk_widget_activate_action_variant(widget, "list.scroll-to-item", g_variant_new_uint32(guint32(index)))
    }

    /// The number of the item whose row has the keyboard.
    public var focused: Int? { factory.focused }

    /// Calls `body` with each row that is a widget now, and the number of its item; some of them are out of sight.
    public func forEachRow(_ body: (Int, Row) -> Void) { factory.forEachRow(body) }
}
