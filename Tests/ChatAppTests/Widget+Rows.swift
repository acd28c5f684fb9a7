import CGTK
import Testing

@testable import GTKBinding

/// Rows of preferences, found by their titles in the widget tree.
extension Widget {
    /// Simulates a click on the row, which toggles its switch.
    func click(row title: String) throws { adw_action_row_activate(try row(titled: title).cast()) }

    func choose(_ index: Int, inRow title: String) throws {
        adw_combo_row_set_selected(try row(titled: title).cast(), guint(index))
    }

    /// Whether the switch of a row is on.
    func isOn(row title: String) throws -> Bool {
        let control = try #require(adw_action_row_get_activatable_widget(try row(titled: title).cast()))
        return gtk_switch_get_active(OpaquePointer(control)).isTrue
    }

    func chosen(inRow title: String) throws -> Int {
        Int(adw_combo_row_get_selected(try row(titled: title).cast()))
    }

    private func row(titled title: String) throws -> Object {
        func find(_ widget: UnsafeMutablePointer<GtkWidget>) -> UnsafeMutableRawPointer? {
            let raw = UnsafeMutableRawPointer(widget)
            let isRow = g_type_check_instance_is_a(
                raw.assumingMemoryBound(to: GTypeInstance.self), adw_preferences_row_get_type())
            if isRow.isTrue,
                let words = adw_preferences_row_get_title(raw.assumingMemoryBound(to: AdwPreferencesRow.self)),
                String(cString: words) == title
            {
                return raw
            }
            var child = gtk_widget_get_first_child(widget)
            while let next = child {
                if let found = find(next) { return found }
                child = gtk_widget_get_next_sibling(next)
            }
            return nil
        }
        return Object(borrowing: try #require(find(widget), "no row is called \(title)"))
    }
}
