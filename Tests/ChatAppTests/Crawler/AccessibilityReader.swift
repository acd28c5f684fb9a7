import CGTK
import WindowFixtures

@testable import GTKBinding

/// What a screen reader finds in a window, and where Tab goes.
@MainActor
struct AccessibilityReader {
    let root: WidgetPointer

    /// The name of a widget for screen readers: its own, or that of the widget that labels it.
    static func name(of widget: WidgetPointer) -> String? {
        let object = OpaquePointer(widget)
        if let text = accessible_property(object, .label) {
            defer { g_free(text) }
            let name = String(cString: text)
            return name.isEmpty ? nil : name
        }
        guard gtk_test_accessible_has_relation(object, GTK_ACCESSIBLE_RELATION_LABELLED_BY).isTrue else { return nil }
        // GTK has no getter for the relation. The label of a button or of a row is in it, and an icon is no label.
        let texts = WidgetTree.texts(in: widget)
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }

    /// The widgets that can have the focus, without those that only hold others.
    private var stops: [WidgetPointer] {
        var found: [WidgetPointer] = []
        func visit(_ widget: WidgetPointer) {
            guard gtk_widget_get_mapped(widget).isTrue, gtk_widget_is_sensitive(widget).isTrue,
                gtk_widget_get_can_focus(widget).isTrue
            else { return }
            if WidgetTree.isA(widget, gtk_window_controls_get_type()) { return }
            // The button of a toast is libadwaita's, and the toast goes by itself.
            if WidgetTree.typeName(widget) == "AdwToastWidget" { return }
            if gtk_widget_get_focusable(widget).isTrue, !Self.isContainer(widget) { found.append(widget) }
            for child in WidgetTree.children(widget) { visit(child) }
        }
        visit(root)
        return found
    }

    private static func isContainer(_ widget: WidgetPointer) -> Bool {
        [
            gtk_scrolled_window_get_type(), gtk_viewport_get_type(), gtk_window_get_type(), gtk_popover_get_type(),
            gtk_list_view_get_type(), gtk_grid_view_get_type(), gtk_list_box_get_type(),
            // The text in it has the focus.
            adw_entry_row_get_type(), adw_expander_row_get_type(),
        ].contains { WidgetTree.isA(widget, $0) }
    }

    private static func describe(_ widget: WidgetPointer) -> String {
        let path = sequence(first: widget) { gtk_widget_get_parent($0) }.prefix(3).map { WidgetTree.typeName($0) }
        return "\(path.joined(separator: " in ")) “\(WidgetTree.name(of: widget))”"
    }

    /// Those that a screen reader cannot name.
    var unnamed: [String] {
        stops.filter { widget in
            // A text that can be selected is its own name; what is typed belongs to the field around it.
            let isText = WidgetTree.isA(widget, gtk_label_get_type())
            return !isText && Self.name(of: widget) == nil
        }.map(Self.describe)
    }

    /// Presses Tab: for the key controllers around the focus, else for GTK.
    private static func pressTab(in window: Window, _ direction: GtkDirectionType) -> Bool {
        var around: [WidgetPointer] = []
        var widget = gtk_window_get_focus(window.window)
        while let each = widget {
            around.append(each)
            widget = gtk_widget_get_parent(each)
        }
        func isHandled(_ widget: WidgetPointer, _ phases: [GtkPropagationPhase]) -> Bool {
            Widget(borrowing: UnsafeMutableRawPointer(widget)).press(
                UInt32(GDK_KEY_Tab), in: phases,
                modifiers: direction == .tabBackward ? Modifiers.shift.rawValue : 0)
        }
        if around.reversed().contains(where: { isHandled($0, [.capture]) }) { return true }
        if around.contains(where: { isHandled($0, [.bubble, .target]) }) { return true }
        return gtk_widget_child_focus(window.widget, direction).isTrue
    }

    /// Presses Tab until the focus is where it has been.
    private static func stops(in window: Window, _ direction: GtkDirectionType) -> [WidgetPointer] {
        var order: [WidgetPointer] = []
        gtk_window_set_focus(window.window, nil)
        while order.count < limit, pressTab(in: window, direction) {
            guard let focus = gtk_window_get_focus(window.window), !order.contains(focus) else { break }
            order.append(focus)
        }
        return order
    }

    /// More than any window has.
    private static let limit = 200

    /// Goes through the window with Tab, and back with Shift+Tab.
    func focusOrder(in window: Window) -> (count: Int, problems: [String]) {
        let (forward, back) = (
            Self.stops(in: window, .tabForward), Self.stops(in: window, .tabBackward)
        )
        var problems: [String] = []
        if forward.count >= Self.limit { problems.append("more than \(Self.limit) stops") }
        let types = [gtk_list_view_get_type(), gtk_grid_view_get_type()]
        func list(of widget: WidgetPointer) -> WidgetPointer? {
            types.compactMap { gtk_widget_get_ancestor(widget, $0) }.first
        }
        for (list, rows) in Dictionary(grouping: forward, by: { list(of: $0) }) where rows.count > 1 {
            guard let list else { continue }
            problems.append("\(rows.count) stops in the list \(Self.name(of: list) ?? "without a name")")
        }
        for widget in stops where !forward.contains(widget) && !back.contains(widget) {
            // Arrow keys go to the other rows, and from one choice of a group to the next.
            if list(of: widget) != nil || Self.isRowOfChoice(widget) { continue }
            if [gtk_check_button_get_type(), gtk_toggle_button_get_type(), gtk_label_get_type()].contains(where: {
                WidgetTree.isA(widget, $0)
            }) {
                continue
            }
            problems.append("not reached: \(Self.describe(widget))")
        }
        if !problems.isEmpty { problems.append("order: \(forward.map { WidgetTree.name(of: $0) })") }
        return (forward.count, problems)
    }

    private static func isRowOfChoice(_ widget: WidgetPointer) -> Bool {
        guard let list = gtk_widget_get_ancestor(widget, gtk_list_box_get_type()) else { return false }
        return gtk_list_box_get_selection_mode(OpaquePointer(list)) != .none
    }
}
