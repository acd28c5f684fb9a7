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

    /// What was typed into a row.
    func text(inRow title: String) throws -> String {
        try row(titled: title).use { String(cString: gtk_editable_get_text($0)) }
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

extension Widget {
    /// Where the content of the widget, without its padding, begins in another one.
    func contentStart(in other: Widget) -> Float? {
        var (origin, place) = (graphene_point_t(), graphene_point_t())
        return gtk_widget_compute_point(widget, other.widget, &origin, &place).isTrue ? place.x : nil
    }
}

extension WindowTitle {
    var subtitle: String { String(cString: adw_window_title_get_subtitle(cast())) }
}

/// What a person does with a widget.
extension Widget {
    /// Emits a signal without arguments, such as `activate` for Return in a field.
    func emit(_ signal: String) {
        let type = raw.assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee.g_type
        var value = GValue()
        g_value_init(&value, type)
        g_value_set_object(&value, raw)
        g_signal_emitv(&value, g_signal_lookup(signal, type), 0, nil)
        g_value_unset(&value)
    }

    /// The windows of the program that are open.
    static var openWindowCount: Int { Int(g_list_model_get_n_items(gtk_window_get_toplevels())) }
}

extension Widget {
    /// Presses a key in it, for its own key controllers; GDK's value of the key.
    ///
    /// - Parameter phases: of the controllers; `nil` for all.
    /// - Returns: whether one of them has handled it.
    @discardableResult
    func press(_ key: UInt32, in phases: [GtkPropagationPhase]? = nil, modifiers: UInt32 = 0) -> Bool {
        var isHandled = false
        let controllers = Object(adopting: gtk_widget_observe_controllers(widget))
        for index in 0..<g_list_model_get_n_items(controllers.cast()) {
            guard let controller = g_list_model_get_item(controllers.cast(), index) else { continue }
            let (isKey, type) = (
                g_type_check_instance_is_a(
                    controller.assumingMemoryBound(to: GTypeInstance.self), gtk_event_controller_key_get_type()),
                gtk_event_controller_key_get_type()
            )
            let phase = gtk_event_controller_get_propagation_phase(OpaquePointer(controller))
            if isKey.isTrue, !isHandled, phases?.contains(phase) ?? true {
                // Key value, hardware code and modifiers.
                var values = [GValue](repeating: GValue(), count: 4)
                g_value_init(&values[0], type)
                g_value_set_object(&values[0], controller)
                g_value_init(&values[1], FundamentalType.unsigned)
                g_value_set_uint(&values[1], key)
                g_value_init(&values[2], FundamentalType.unsigned)
                g_value_init(&values[3], gdk_modifier_type_get_type())
                g_value_set_flags(&values[3], modifiers)
                var result = GValue()
                g_value_init(&result, FundamentalType.boolean)
                values.withUnsafeBufferPointer {
                    g_signal_emitv($0.baseAddress, g_signal_lookup("key-pressed", type), 0, &result)
                }
                isHandled = g_value_get_boolean(&result).isTrue
                for index in values.indices { g_value_unset(&values[index]) }
            }
            g_object_unref(controller)
        }
        return isHandled
    }

    /// Whether a click at its centre reaches it.
    func isReached(in window: Window) -> Bool {
        guard let place = translate(x: Double(width) / 2, y: Double(height) / 2, to: window),
            let picked = gtk_widget_pick(window.widget, place.x, place.y, GTK_PICK_DEFAULT)
        else { return false }
        return picked == widget || gtk_widget_is_ancestor(picked, widget).isTrue
    }

    /// The text that appears under the pointer.
    var shownTip: String? { gtk_widget_get_tooltip_text(widget).map { String(cString: $0) } }
}
