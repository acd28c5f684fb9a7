import CGTK
import Localization
import WindowFixtures

@testable import GTKBinding

/// Something that a person can use: a button, a switch, a row, an entry of a menu, a choice, a field.
@MainActor
struct Control {
    enum Use: Equatable {
        case press
        /// Chooses one entry of several.
        case choose(Int)
        /// Types a text, and presses Return if this has no effect.
        case type
    }

    /// The indices of the children from the window, or the menu, on.
    let path: [Int]
    let name: String
    let use: Use

    /// What controls with these English names may be called in the user's language: as in the samples, or as a text of the catalogue,
    /// with or without a letter for the keyboard. A number in brackets is that of a choice.
    static func names(_ english: some Sequence<String>) -> Set<String> {
        var names: Set<String> = []
        for name in english {
            let end = name.firstRange(of: " [")?.lowerBound ?? name.endIndex
            let (text, choice) = (String(name[..<end]), name[end...])
            let keys = [text] + text.indices.map { "\(text[..<$0])_\(text[$0...])" }
            let texts = keys.map { Localization.translate($0).replacing("_", with: "") } + [sampleWords(text)]
            names.formUnion(texts.map { $0 + choice })
        }
        return names
    }

    /// Lists show many rows of one kind; the first ones stand for all.
    private static let rowsPerList = 2
    /// What is typed into fields.
    static let text = "rosaline"

    /// The controls below a widget that can be used now.
    ///
    /// - Parameter isMenu: entries of submenus count, which are not on the screen yet.
    static func all(in root: WidgetPointer, isMenu: Bool = false) -> [Control] {
        var found: [Control] = []
        var rows: [WidgetPointer: Int] = [:]
        func visit(_ widget: WidgetPointer, _ path: [Int]) {
            guard isMenu ? gtk_widget_get_visible(widget).isTrue : gtk_widget_get_mapped(widget).isTrue,
                gtk_widget_is_sensitive(widget).isTrue, gtk_widget_get_can_target(widget).isTrue
            else { return }
            // The buttons of the window manager.
            if WidgetTree.isA(widget, gtk_window_controls_get_type()) { return }
            // GTK's own.
            if WidgetTree.isA(widget, gtk_calendar_get_type()) { return }
            let kind = Kind(widget)
            if kind == .row, let list = gtk_widget_get_parent(widget),
                !WidgetTree.isA(widget, adw_preferences_row_get_type())
            {
                rows[list, default: 0] += 1
                if (rows[list] ?? 0) > rowsPerList { return }
            }
            let name = WidgetTree.name(of: widget)
            switch kind {
            case .choices(let count, let chosen):
                for index in 0..<count where index != chosen {
                    found.append(Control(path: path, name: "\(name) [\(index)]", use: .choose(index)))
                }
            case .field: found.append(Control(path: path, name: name, use: .type))
            case .button, .row: found.append(Control(path: path, name: name, use: .press))
            case .other: break
            }
            if kind.isClosed || WidgetTree.isA(widget, gtk_menu_button_get_type()) { return }
            for (index, child) in WidgetTree.children(widget).enumerated() { visit(child, path + [index]) }
        }
        visit(root, [])
        return found
    }

    private enum Kind: Equatable {
        case button, row, field, other
        case choices(Int, chosen: Int)

        /// Nothing in it is a control of its own.
        var isClosed: Bool { if case .choices = self { true } else { false } }

        @MainActor
        init(_ widget: WidgetPointer) {
            func isA(_ type: GType) -> Bool { WidgetTree.isA(widget, type) }
            let row = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkListBoxRow.self)
            if isA(adw_combo_row_get_type()) {
                let combo = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: AdwComboRow.self)
                let model = adw_combo_row_get_model(combo)
                self = .choices(
                    model.map { Int(g_list_model_get_n_items($0)) } ?? 0,
                    chosen: Int(adw_combo_row_get_selected(combo)))
            } else if isA(adw_entry_row_get_type()) || isA(gtk_entry_get_type()) || isA(gtk_search_entry_get_type()) {
                self = .field
            } else if isA(gtk_text_view_get_type()) {
                let view = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkTextView.self)
                self = gtk_text_view_get_editable(view).isTrue ? .field : .other
            } else if isA(gtk_list_box_row_get_type()) {
                self = gtk_list_box_row_get_activatable(row).isTrue ? .row : .other
            } else if WidgetTree.typeName(widget) == "GtkListItemWidget" {
                let isChosen = gtk_widget_get_state_flags(widget).rawValue & GTK_STATE_FLAG_SELECTED.rawValue != 0
                let isUsed = gtk_widget_get_parent(widget).map { WidgetTree.listens($0, to: "activate") } ?? false
                self = isUsed && !isChosen ? .row : .other
            } else if WidgetTree.typeName(widget) == "GtkModelButton" {
                // An entry that leads to a submenu, or back, does nothing.
                self = Object(borrowing: UnsafeMutableRawPointer(widget)).string("menu-name") == nil ? .button : .other
            } else if isA(gtk_toggle_button_get_type()), WidgetTree.isActive(widget) {
                // One of several choices that is chosen already.
                self = .other
            } else {
                let isButton =
                    isA(gtk_button_get_type()) || isA(gtk_check_button_get_type()) || isA(gtk_switch_get_type())
                    || isA(gtk_menu_button_get_type())
                self = isButton ? .button : .other
            }
        }
    }

    /// The widget at its place.
    func widget(in root: WidgetPointer) -> WidgetPointer? {
        var widget: WidgetPointer? = root
        for index in path {
            guard let parent = widget else { return nil }
            let all = WidgetTree.children(parent)
            widget = all.indices.contains(index) ? all[index] : nil
        }
        return widget.flatMap { found in name.hasPrefix(WidgetTree.name(of: found)) ? found : nil }
    }

    /// Uses it as a person does.
    func apply(to widget: WidgetPointer) {
        switch use {
        case .choose(let index):
            adw_combo_row_set_selected(
                UnsafeMutableRawPointer(widget).assumingMemoryBound(to: AdwComboRow.self), guint(index))
        case .type:
            guard WidgetTree.isA(widget, gtk_text_view_get_type()) else {
                return gtk_editable_set_text(OpaquePointer(widget), Self.text)
            }
            let view = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkTextView.self)
            gtk_text_buffer_set_text(gtk_text_view_get_buffer(view), Self.text, gint(Self.text.utf8.count))
        case .press:
            if WidgetTree.isA(widget, gtk_menu_button_get_type()) {
                gtk_menu_button_popup(OpaquePointer(widget))
            } else {
                gtk_widget_activate(widget)
            }
        }
    }

    /// Presses Return in a field.
    func enter(_ widget: WidgetPointer) {
        let text = WidgetTree.first(in: widget) { WidgetTree.isA($0, gtk_text_get_type()) }
        if let text { Widget(borrowing: UnsafeMutableRawPointer(text)).emit("activate") }
    }

    /// Whether anything listens to it. A control with the name of an action is insensitive while there is none.
    static func isConnected(_ widget: WidgetPointer) -> Bool {
        func listens(_ signal: String, detail: String? = nil) -> Bool {
            WidgetTree.listens(widget, to: signal, detail: detail)
        }
        if WidgetTree.isA(widget, gtk_switch_get_type()) { return listens("notify", detail: "active") }
        if WidgetTree.isA(widget, gtk_check_button_get_type()) { return listens("toggled") }
        if WidgetTree.isA(widget, adw_combo_row_get_type()) { return listens("notify", detail: "selected") }
        guard WidgetTree.isA(widget, gtk_button_get_type()) else { return true }
        if gtk_actionable_get_action_name(OpaquePointer(widget)) != nil { return true }
        // The buttons of switchers are bound to what they choose.
        return listens("clicked")
            || WidgetTree.isA(widget, gtk_toggle_button_get_type())
                && (listens("toggled") || listens("notify", detail: "active"))
    }
}
