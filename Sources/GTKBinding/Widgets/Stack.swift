internal import CGTK

/// Several widgets of which one is visible.
public final class Stack: Widget {
    public init(crossfades: Bool = false) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_stack_new()))
        if crossfades { gtk_stack_set_transition_type(cast(), .crossfade) }
    }

    public func add(_ child: Widget, name: String) { gtk_stack_add_named(cast(), child.widget, name) }

    /// Adds a page with a title, for a ``StackSwitcher``.
    public func add(_ child: Widget, name: String, title: String) {
        gtk_stack_add_titled(cast(), child.widget, name, title)
    }

    public func remove(_ child: Widget) { gtk_stack_remove(cast(), child.widget) }

    public var shown: String? {
        get { gtk_stack_get_visible_child_name(cast()).map { String(cString: $0) } }
        set { if let newValue, newValue != shown { gtk_stack_set_visible_child_name(cast(), newValue) } }
    }

    /// Makes it as large as the visible child, not as the largest.
    @discardableResult
    public func fitsShownChild() -> Self {
        gtk_stack_set_vhomogeneous(cast(), 0)
        gtk_stack_set_hhomogeneous(cast(), 0)
        return self
    }

    public func onChange(_ body: @escaping (String?) -> Void) {
        on(
            "notify::visible-child-name",
            reading: { gtk_stack_get_visible_child_name($0.cast()).map { String(cString: $0) } }, body)
    }
}

/// Buttons that select the visible page of a ``Stack``, by the titles of its pages.
public final class StackSwitcher: Widget {
    public init(_ stack: Stack) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_stack_switcher_new()))
        gtk_stack_switcher_set_stack(cast(), stack.cast())
    }
}

/// Two panes side by side, or one at a time in a narrow window.
///
/// libadwaita 1.2 has only this widget for it; programs use this class, so a replacement is a change in one file.
public final class Leaflet: Widget {
    private let panes: [Widget]

    public init(_ first: Widget, _ second: Widget) {
        panes = [first, second]
        super.init(adopting: UnsafeMutableRawPointer(adw_leaflet_new()))
        adw_leaflet_append(cast(), first.widget)
        let line = adw_leaflet_append(cast(), gtk_separator_new(.vertical))
        adw_leaflet_page_set_navigatable(line, 0)
        adw_leaflet_append(cast(), second.widget)
        adw_leaflet_set_can_navigate_back(cast(), 1)
        adw_leaflet_set_transition_type(cast(), .slide)
        // The natural width of a pane depends on its content: with it a window would fold because a message arrives.
        adw_leaflet_set_fold_threshold_policy(cast(), .minimum)
    }

    /// Whether one pane is shown at a time.
    public var isFolded: Bool { adw_leaflet_get_folded(cast()).isTrue }

    public var showsSecond: Bool {
        get { adw_leaflet_get_visible_child(cast()) == panes[1].widget }
        set { if newValue != showsSecond { adw_leaflet_set_visible_child(cast(), panes[newValue ? 1 : 0].widget) } }
    }

    public func onFold(_ body: @escaping (Bool) -> Void) {
        on("notify::folded", reading: { adw_leaflet_get_folded($0.cast()).isTrue }, body)
    }

    public func onShownPane(_ body: @escaping () -> Void) { on("notify::visible-child", body) }
}
