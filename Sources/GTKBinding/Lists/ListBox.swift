internal import CGTK

/// A short list in which every row is a widget.
public final class ListBox: Widget {
    public init(_ rows: [Widget] = []) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_list_box_new()))
        gtk_list_box_set_selection_mode(cast(), .none)
        for row in rows { append(row) }
    }

    public func append(_ row: Widget) { gtk_list_box_append(cast(), row.widget) }
    public func insert(_ row: Widget, at index: Int) { gtk_list_box_insert(cast(), row.widget, gint(clamping: index)) }
    public func remove(_ row: Widget) { gtk_list_box_remove(cast(), row.widget) }

    public func removeAll() {
        while let row = gtk_widget_get_first_child(widget) { gtk_list_box_remove(cast(), row) }
    }

    /// Shows a placeholder while there are no rows.
    public func show(placeholder: Widget?) { gtk_list_box_set_placeholder(cast(), placeholder?.widget) }

    /// Calls `body` when a row was clicked, or Return was pressed on it.
    public func onActivate(_ body: @escaping (Int) -> Void) {
        connect("row-activated") { call in
            guard let row = call.object(1) else { return }
            body(Int(gtk_list_box_row_get_index(row.assumingMemoryBound(to: GtkListBoxRow.self))))
        }
    }

    /// Makes one row selectable.
    @discardableResult
    public func selectable() -> Self {
        gtk_list_box_set_selection_mode(cast(), .single)
        return self
    }

    /// Scrolls a row of it into view.
    public func scroll(to index: Int, in scroller: ScrolledWindow) {
        guard let row = gtk_list_box_get_row_at_index(cast(), gint(clamping: index)) else { return }
        let line = Object(borrowing: UnsafeMutableRawPointer(row))
        var (x, y) = (0.0, 0.0)
        guard gtk_widget_translate_coordinates(line.cast(), scroller.widget, 0, 0, &x, &y).isTrue else { return }
        let height = Double(gtk_widget_get_height(line.cast()))
        if y < 0 {
            scroller.offset += y
        } else if y + height > scroller.pageHeight {
            scroller.offset += y + height - scroller.pageHeight
        }
    }

    public func select(_ index: Int?) {
        gtk_list_box_select_row(cast(), index.flatMap { gtk_list_box_get_row_at_index(cast(), gint(clamping: $0)) })
    }
}
