internal import CGTK

public final class Button: Widget {
    public init(_ label: String) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_button_new_with_mnemonic(ShownText.bounded(label))))
    }

    /// A button with only an icon; give it a name with ``Widget/named(_:)``.
    public init(icon: String) { super.init(adopting: UnsafeMutableRawPointer(gtk_button_new_from_icon_name(icon))) }

    public init(_ child: Widget) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_button_new()))
        gtk_button_set_child(cast(), child.widget)
    }

    /// An icon with a text beside it.
    public convenience init(_ label: String, icon: String) {
        let content = Widget(adopting: UnsafeMutableRawPointer(adw_button_content_new()))
        adw_button_content_set_label(content.cast(), ShownText.bounded(label))
        adw_button_content_set_icon_name(content.cast(), icon)
        adw_button_content_set_use_underline(content.cast(), 1)
        self.init(content)
    }

    public func show(icon: String) { gtk_button_set_icon_name(cast(), icon) }
    public func show(content: Widget) { gtk_button_set_child(cast(), content.widget) }
    public func show(label: String) { gtk_button_set_label(cast(), ShownText.bounded(label)) }

    public func onClick(_ body: @escaping () -> Void) { on("clicked", body) }

    /// Activates this action on a click, for example `win.search`; the button is insensitive while the action is
    /// disabled.
    @discardableResult
    public func action(_ name: String) -> Self {
        gtk_actionable_set_action_name(cast(), name)
        return self
    }

    /// Breaks its text into lines where there is not enough space for it.
    @discardableResult
    public func wrap() -> Self {
        guard let label = gtk_button_get_child(cast()).map({ OpaquePointer($0) }) else { return self }
        gtk_label_set_wrap(label, 1)
        gtk_label_set_natural_wrap_mode(label, .none)
        gtk_label_set_justify(label, .center)
        return self
    }

    /// Activates the button like a click.
    public func click() { gtk_widget_activate(widget) }
}

/// A button that stays pressed.
public final class ToggleButton: Widget {
    public init(icon: String) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_toggle_button_new()))
        gtk_button_set_icon_name(cast(), icon)
    }

    public init(_ label: String) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_toggle_button_new_with_mnemonic(ShownText.bounded(label))))
    }

    public var isActive: Bool {
        get { gtk_toggle_button_get_active(cast()).isTrue }
        set { gtk_toggle_button_set_active(cast(), newValue.gboolean) }
    }

    @discardableResult
    public func onToggle(_ body: @escaping (Bool) -> Void) -> Connection {
        on("toggled", reading: { gtk_toggle_button_get_active($0.cast()).isTrue }, body)
    }
}

/// A check box, or a radio button.
public final class CheckButton: Widget {
    public init(_ label: String? = nil, inGroupOf other: CheckButton? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_check_button_new_with_mnemonic(label.map(ShownText.bounded))))
        forEachLabel { _, label in
            gtk_label_set_wrap(label, 1)
            gtk_label_set_natural_wrap_mode(label, .none)
        }
        if let other { gtk_check_button_set_group(cast(), other.cast()) }
    }

    public var isActive: Bool {
        get { gtk_check_button_get_active(cast()).isTrue }
        set { gtk_check_button_set_active(cast(), newValue.gboolean) }
    }

    @discardableResult
    public func onToggle(_ body: @escaping (Bool) -> Void) -> Connection {
        on("toggled", reading: { gtk_check_button_get_active($0.cast()).isTrue }, body)
    }
}

public final class Switch: Widget {
    public init() { super.init(adopting: UnsafeMutableRawPointer(gtk_switch_new())) }

    public var isActive: Bool {
        get { gtk_switch_get_active(cast()).isTrue }
        set { gtk_switch_set_active(cast(), newValue.gboolean) }
    }

    @discardableResult
    public func onToggle(_ body: @escaping (Bool) -> Void) -> Connection {
        on("notify::active", reading: { gtk_switch_get_active($0.cast()).isTrue }, body)
    }
}
