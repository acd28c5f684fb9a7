import CGTK

@testable import GTKBinding

typealias WidgetPointer = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer<GtkWindow> {
    var widget: WidgetPointer { UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkWidget.self) }
}

/// The widgets of the program as a person sees them.
@MainActor
enum WidgetTree {
    static var toplevels: [UnsafeMutablePointer<GtkWindow>] {
        let list = gtk_window_get_toplevels()
        return (0..<g_list_model_get_n_items(list)).compactMap { index in
            guard let item = g_list_model_get_item(list, index) else { return nil }
            g_object_unref(item)
            return item.assumingMemoryBound(to: GtkWindow.self)
        }
    }

    static func isA(_ widget: WidgetPointer, _ type: GType) -> Bool {
        g_type_check_instance_is_a(UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self), type)
            .isTrue
    }

    static func typeName(_ widget: WidgetPointer) -> String {
        String(
            cString: g_type_name_from_instance(
                UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)))
    }

    static func children(_ widget: WidgetPointer) -> [WidgetPointer] {
        var children: [WidgetPointer] = []
        var child = gtk_widget_get_first_child(widget)
        while let next = child {
            children.append(next)
            child = gtk_widget_get_next_sibling(next)
        }
        return children
    }

    static func isActive(_ toggle: WidgetPointer) -> Bool {
        gtk_toggle_button_get_active(UnsafeMutableRawPointer(toggle).assumingMemoryBound(to: GtkToggleButton.self))
            .isTrue
    }

    /// Whether a widget is, or is in, one of that type.
    static func ancestor(of widget: WidgetPointer, _ type: GType) -> WidgetPointer? {
        gtk_widget_get_ancestor(widget, type)
    }

    /// Whether anything listens to a signal of a widget.
    static func listens(_ widget: WidgetPointer, to signal: String, detail: String? = nil) -> Bool {
        let instance = UnsafeMutableRawPointer(widget)
        let type = instance.assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee.g_type
        return g_signal_has_handler_pending(
            instance, g_signal_lookup(signal, type), detail.map { g_quark_from_string($0) } ?? 0, 1
        ).isTrue
    }

    /// The first widget below another one that fulfils a condition.
    static func first(in widget: WidgetPointer, where isFound: (WidgetPointer) -> Bool) -> WidgetPointer? {
        if isFound(widget) { return widget }
        for child in children(widget) {
            if let found = first(in: child, where: isFound) { return found }
        }
        return nil
    }

    /// The widgets of a type in another one, also hidden ones.
    static func all(in widget: WidgetPointer, _ type: GType) -> [WidgetPointer] {
        (isA(widget, type) ? [widget] : []) + children(widget).flatMap { all(in: $0, type) }
    }

    private static func minimumWidth(_ widget: WidgetPointer) -> Int {
        var width: gint = 0
        gtk_widget_measure(widget, .horizontal, -1, &width, nil, nil, nil)
        return Int(width)
    }

    /// The least width of a window without the borders that it has where there is no window manager.
    static func minimumContentWidth(of window: Window) -> Int {
        children(window.widget).filter { gtk_widget_get_visible($0).isTrue }.map { minimumWidth($0) }.max() ?? 0
    }

    /// The widgets, from the outside to the inside, that ask for the least width of a widget.
    static func widest(in widget: WidgetPointer) -> String {
        var (path, next) = ([String](), Optional(widget))
        while let each = next {
            path.append("\(typeName(each)) \(minimumWidth(each))")
            next = children(each).filter { gtk_widget_get_visible($0).isTrue }.max {
                minimumWidth($0) < minimumWidth($1)
            }
            if next == nil { path.append("“\(name(of: each))”") }
        }
        return path.joined(separator: " > ")
    }

    /// The labels in a widget that have a text.
    static func labels(in widget: WidgetPointer) -> [OpaquePointer] {
        guard gtk_widget_is_visible(widget).isTrue else { return [] }
        if isA(widget, gtk_label_get_type()) { return texts(in: widget).isEmpty ? [] : [OpaquePointer(widget)] }
        return children(widget).flatMap { labels(in: $0) }
    }

    /// Texts with an address that get a hyphen where a line ends within it.
    static func hyphenatedAddresses(in widget: WidgetPointer) -> [String] {
        labels(in: widget).filter { gtk_label_get_wrap($0).isTrue }.compactMap { label in
            guard let text = gtk_label_get_text(label).map({ String(cString: $0) }), text.contains("@"),
                !hasNoHyphens(label)
            else { return nil }
            return text
        }
    }

    private static func hasNoHyphens(_ label: OpaquePointer) -> Bool {
        guard let attributes = gtk_label_get_attributes(label), let iterator = pango_attr_list_get_iterator(attributes)
        else { return false }
        defer { pango_attr_iterator_destroy(iterator) }
        guard let found = pango_attr_iterator_get(iterator, PANGO_ATTR_INSERT_HYPHENS) else { return false }
        return UnsafeMutableRawPointer(found).assumingMemoryBound(to: PangoAttrInt.self).pointee.value == 0
    }

    /// Texts that are cut off.
    ///
    /// - Parameter types: of the widgets that they are in; empty for all.
    static func cutTexts(in widget: WidgetPointer, of types: [GType] = []) -> [String] {
        labels(in: widget).filter { label in
            let widget = UnsafeMutableRawPointer(label).assumingMemoryBound(to: GtkWidget.self)
            guard types.isEmpty || types.contains(where: { ancestor(of: widget, $0) != nil }) else { return false }
            return gtk_label_get_layout(label).map { pango_layout_is_ellipsized($0).isTrue } ?? false
        }.compactMap { gtk_label_get_text($0).map { String(cString: $0) } }
    }

    /// The texts that a person can read in a widget.
    static func texts(in widget: WidgetPointer) -> [String] {
        guard gtk_widget_is_visible(widget).isTrue else { return [] }
        if isA(widget, gtk_label_get_type()), let text = gtk_label_get_text(OpaquePointer(widget)) {
            return [String(cString: text)].filter { !$0.isEmpty }
        }
        return children(widget).flatMap { texts(in: $0) }
    }

    /// The title of the row of preferences that a widget is in.
    static func rowTitle(of widget: WidgetPointer) -> String? {
        gtk_widget_get_ancestor(widget, adw_preferences_row_get_type()).flatMap {
            adw_preferences_row_get_title(UnsafeMutableRawPointer($0).assumingMemoryBound(to: AdwPreferencesRow.self))
        }.map { String(cString: $0) }
    }

    /// What a person calls a widget: its tip, its texts, else the title of its row.
    static func name(of widget: WidgetPointer) -> String {
        if let tip = gtk_widget_get_tooltip_text(widget) { return String(cString: tip) }
        if isA(widget, gtk_text_view_get_type()), let name = AccessibilityReader.name(of: widget) { return name }
        if isA(widget, adw_preferences_row_get_type()), let title = rowTitle(of: widget), !title.isEmpty {
            return title
        }
        let texts = texts(in: widget)
        if !texts.isEmpty { return texts.joined(separator: " ") }
        return rowTitle(of: widget) ?? typeName(widget)
    }

    /// The popover that is open in a window.
    static func openPopover(in window: Window) -> WidgetPointer? {
        first(in: window.widget) { isA($0, gtk_popover_get_type()) && gtk_widget_get_mapped($0).isTrue }
    }

    /// Everything that is shown and has the focus, except for some widgets.
    ///
    /// - Parameter hasFocus: whether the focus counts.
    static func fingerprint(besides left: [WidgetPointer] = [], hasFocus: Bool = true) -> [String] {
        var lines: [String] = []
        func visit(_ widget: WidgetPointer) {
            guard gtk_widget_get_mapped(widget).isTrue, !left.contains(widget) else { return }
            var line = typeName(widget)
            if isA(widget, gtk_label_get_type()), let text = gtk_label_get_text(OpaquePointer(widget)) {
                line += " \(String(cString: text))"
            } else if isA(widget, gtk_editable_get_type()), let text = gtk_editable_get_text(OpaquePointer(widget)) {
                line += " \(String(cString: text))"
            } else if isA(widget, gtk_image_get_type()),
                let icon = gtk_image_get_icon_name(OpaquePointer(widget))
            {
                line += " \(String(cString: icon))"
            }
            // A password that can be read.
            if isA(widget, gtk_text_get_type()) {
                let text = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkText.self)
                if gtk_text_get_visibility(text).isTrue { line += " visible" }
            }
            if hasFocus, gtk_widget_is_focus(widget).isTrue { line += " focus" }
            if !gtk_widget_is_sensitive(widget).isTrue { line += " insensitive" }
            if isA(widget, gtk_toggle_button_get_type()) {
                line += " \(isActive(widget))"
            }
            lines.append(line)
            for child in children(widget) { visit(child) }
        }
        for window in toplevels { visit(window.widget) }
        return lines
    }
}
