internal import CGTK
internal import Glibc

/// The base class of all widgets.
///
/// Methods that return the widget can be chained:
///
///     Label(name).css("heading").expand(.horizontal).tip(address)
public class Widget: Object {
    var widget: UnsafeMutablePointer<GtkWidget> { cast() }

    public var isVisible: Bool {
        get { gtk_widget_get_visible(widget).isTrue }
        set { if newValue != isVisible { gtk_widget_set_visible(widget, newValue.gboolean) } }
    }

    /// Whether it reacts to input; this includes its children.
    public var isSensitive: Bool {
        get { gtk_widget_get_sensitive(widget).isTrue }
        set { gtk_widget_set_sensitive(widget, newValue.gboolean) }
    }

    /// Whether it and all its ancestors are shown.
    public var isMapped: Bool { gtk_widget_get_mapped(widget).isTrue }

    public var hasFocus: Bool { gtk_widget_has_focus(widget).isTrue }

    /// Whether the focus is in it or in something inside it.
    public var containsFocus: Bool {
        guard let root = gtk_widget_get_root(widget), let focus = gtk_root_get_focus(root) else { return false }
        return focus == widget || gtk_widget_is_ancestor(focus, widget).isTrue
    }

    /// What has the focus of its window.
    public enum FocusedContent {
        /// A text field, or a label with selected text.
        case text
        /// Something inside of a popover.
        case popover
        case other
        case nothing
    }

    public var focusedContent: FocusedContent {
        guard let root = gtk_widget_get_root(widget), let focus = gtk_root_get_focus(root) else { return .nothing }
        func isA(_ type: GType) -> Bool {
            g_type_check_instance_is_a(
                UnsafeMutableRawPointer(focus).assumingMemoryBound(to: GTypeInstance.self), type
            ).isTrue
        }
        if gtk_widget_get_ancestor(focus, gtk_popover_get_type()) != nil { return .popover }
        if isA(gtk_text_get_type()) || isA(gtk_text_view_get_type()) { return .text }
        if isA(gtk_label_get_type()),
            gtk_label_get_selection_bounds(OpaquePointer(focus), nil, nil).isTrue
        {
            return .text
        }
        return .other
    }

    /// Moves the focus here.
    @discardableResult
    public func grabFocus() -> Bool { gtk_widget_grab_focus(widget).isTrue }

    /// Moves the focus to the first control inside, or to the last one.
    @discardableResult
    public func focusInside(atEnd: Bool = false) -> Bool {
        gtk_widget_child_focus(widget, atEnd ? .tabBackward : .tabForward).isTrue
    }

    /// In pixels; 0 before the first layout.
    public var width: Int { Int(gtk_widget_get_width(widget)) }
    public var height: Int { Int(gtk_widget_get_height(widget)) }

    /// The minimum width of it and its content.
    public var minimumWidth: Int {
        var minimum: gint = 0
        gtk_widget_measure(widget, .horizontal, -1, &minimum, nil, nil, nil)
        return Int(minimum)
    }

    public func queueDraw() { gtk_widget_queue_draw(widget) }

    // MARK: Style

    @discardableResult
    public func css(_ classes: String...) -> Self {
        for name in classes { gtk_widget_add_css_class(widget, name) }
        return self
    }

    /// Adds or removes a CSS class.
    public func css(_ name: String, _ isOn: Bool) {
        if isOn { gtk_widget_add_css_class(widget, name) } else { gtk_widget_remove_css_class(widget, name) }
    }

    /// Whether it has a CSS class.
    public func has(css name: String) -> Bool { gtk_widget_has_css_class(widget, name).isTrue }

    @discardableResult
    public func hidden(_ isHidden: Bool = true) -> Self {
        isVisible = !isHidden
        return self
    }

    @discardableResult
    public func tip(_ text: String?) -> Self {
        // GTK queries the display for the pointer position and waits for the response, even for a widget outside any
        // window.
        let isElsewhere = gtk_widget_get_root(widget) == nil && isVisible
        if isElsewhere { gtk_widget_set_visible(widget, 0) }
        gtk_widget_set_tooltip_text(widget, text.map(ShownText.bounded))
        if isElsewhere { gtk_widget_set_visible(widget, 1) }
        return self
    }

    /// A tooltip created on demand, for widgets that are reused, such as rows of lists.
    @discardableResult
    public func tip(whenAsked text: @escaping () -> String?) -> Self {
        gtk_widget_set_has_tooltip(widget, 1)
        connect("query-tooltip") { call in
            guard let tooltip = call.object(4), let text = text() else { return call.answer(false) }
            gtk_tooltip_set_text(OpaquePointer(tooltip), ShownText.bounded(text))
            call.answer(true)
        }
        return self
    }

    @discardableResult
    public func cursor(_ name: String?) -> Self {
        gtk_widget_set_cursor_from_name(widget, name)
        return self
    }

    /// Whether a click moves the focus to it.
    @discardableResult
    public func focusOnClick(_ takesFocus: Bool) -> Self {
        gtk_widget_set_focus_on_click(widget, takesFocus.gboolean)
        return self
    }

    /// Whether it can have the focus at all.
    @discardableResult
    public func focusable(_ isFocusable: Bool) -> Self {
        gtk_widget_set_focusable(widget, isFocusable.gboolean)
        return self
    }

    /// Whether it receives clicks and touches.
    @discardableResult
    public func targetable(_ isTarget: Bool) -> Self {
        gtk_widget_set_can_target(widget, isTarget.gboolean)
        return self
    }

    // MARK: Frames

    /// Calls `body` before each frame, as long as it returns `true`.
    public func onFrame(_ body: @escaping () -> Bool) {
        gtk_widget_add_tick_callback(
            widget, { _, _, data in data.map { Callback<Void, Bool>.from($0).body(()).gboolean } ?? 0 },
            Callback<Void, Bool> { body() }.retained, { data in if let data { Callback<Void, Bool>.release(data) } })
    }

    // MARK: Actions

    /// Activates an action by its full name, for example `win.close` or `list.scroll-to-item`.
    @discardableResult
    public func activate(_ action: String) -> Bool {
        gtk_widget_activate_action_variant(widget, action, nil).isTrue
    }

    /// Actions that this widget and all inside it can refer to as `prefix.name`.
    public func insert(_ actions: ActionGroup, prefix: String) {
        gtk_widget_insert_action_group(widget, prefix, actions.cast())
    }

    /// Converts a point of this widget to the coordinates of another one in the same window.
    public func translate(x: Double, y: Double, to other: Widget) -> (x: Double, y: Double)? {
        var (newX, newY) = (0.0, 0.0)
        let isInside = gtk_widget_translate_coordinates(widget, other.widget, x, y, &newX, &newY).isTrue
        return isInside ? (newX, newY) : nil
    }

    /// Its place in the coordinates of another widget in the same window, with its padding and border.
    public func frame(in other: Widget) -> (x: Double, y: Double, width: Double, height: Double)? {
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(widget, other.widget, &bounds).isTrue else { return nil }
        return (
            Double(bounds.origin.x), Double(bounds.origin.y), Double(bounds.size.width), Double(bounds.size.height)
        )
    }
}

extension Widget {
    /// The name for screen readers. Every control without its own text needs one.
    @discardableResult
    public func accessible(label: String) -> Self {
        update(.label, label)
        return self
    }

    /// The description for screen readers, in addition to the name.
    @discardableResult
    public func accessible(description: String) -> Self {
        update(.description, description)
        return self
    }

    /// Sets the name for screen readers and the tooltip.
    @discardableResult
    public func named(_ text: String) -> Self { accessible(label: text).tip(text) }

    // gtk_accessible_update_property() takes a variable number of arguments; this variant takes arrays.
    private func update(_ property: GtkAccessibleProperty, _ text: String) { Self.update(widget, property, text) }

    static func update(
        _ widget: UnsafeMutablePointer<GtkWidget>, _ property: GtkAccessibleProperty, _ text: String
    ) {
        var properties = [property]
        var value = GValue()
        g_value_init(&value, FundamentalType.string)
        g_value_set_string(&value, text)
        for target in [widget] + focused(of: widget) {
            gtk_accessible_update_property_value(OpaquePointer(target), 1, &properties, &value)
        }
        g_value_unset(&value)
    }

    /// What has the focus in place of a widget that consists of others. Screen readers say the name of this one.
    private static func focused(of widget: UnsafeMutablePointer<GtkWidget>) -> [UnsafeMutablePointer<GtkWidget>] {
        func isA(_ type: GType) -> Bool {
            g_type_check_instance_is_a(
                UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self), type
            ).isTrue
        }
        if isA(gtk_menu_button_get_type()) { return [gtk_widget_get_first_child(widget)].compactMap { $0 } }
        guard isA(gtk_editable_get_type()), let text = gtk_editable_get_delegate(OpaquePointer(widget)) else {
            return []
        }
        return [UnsafeMutableRawPointer(text).assumingMemoryBound(to: GtkWidget.self)]
    }
}

extension Widget {
    /// Whether a part of it can be visible: it is shown, not scrolled away, and its window is not minimized. It is
    /// unknown whether another window covers it.
    public var isOnScreen: Bool {
        guard isMapped, width > 0, height > 0 else { return false }
        var ancestor = gtk_widget_get_parent(widget)
        while let current = ancestor {
            var (x, y) = (0.0, 0.0)
            guard gtk_widget_translate_coordinates(widget, current, 0, 0, &x, &y).isTrue else { return false }
            let isInside =
                x < Double(gtk_widget_get_width(current)) && y < Double(gtk_widget_get_height(current))
                && x + Double(width) > 0 && y + Double(height) > 0
            guard isInside else { return false }
            ancestor = gtk_widget_get_parent(current)
        }
        guard let surface = gtk_widget_get_native(widget).flatMap({ gtk_native_get_surface($0) }) else { return false }
        return !gdk_toplevel_get_state(surface).contains(.minimized)
    }
}

extension Widget {
    /// The duration of a frame, and the CPU time of this thread in it.
    public struct FrameWork: Sendable {
        public let wall: Duration
        public let processor: Duration
    }

    /// Calls `body` after each frame of its window with the time of the frame's work: changes, layout and painting,
    /// without the wait between frames. Call it when the window is on the screen.
    public func onFrameWork(_ body: @escaping (FrameWork) -> Void) {
        guard let frames = gtk_widget_get_frame_clock(widget) else { return }
        let clock = Object(borrowing: UnsafeMutableRawPointer(frames))
        var start = (wall: ContinuousClock.now, processor: Self.processorTime)
        clock.on("before-paint") { start = (.now, Self.processorTime) }
        clock.on("after-paint") {
            body(FrameWork(wall: .now - start.wall, processor: Self.processorTime - start.processor))
        }
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
