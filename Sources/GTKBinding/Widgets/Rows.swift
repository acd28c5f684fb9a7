internal import CGTK

/// A row of a list of settings: title, subtitle, and widgets before and after them.
public class ActionRow: Widget {
    public init(_ title: String = "", subtitle: String? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(adw_action_row_new()))
        breaksWordsWithoutHyphens()
        show(title: title)
        if let subtitle { show(subtitle: subtitle) }
    }

    fileprivate init(row: UnsafeMutableRawPointer) {
        super.init(adopting: row)
        breaksWordsWithoutHyphens()
    }

    /// Plain text, without markup.
    public func show(title: String) {
        adw_preferences_row_set_use_markup(cast(), 0)
        adw_preferences_row_set_title(cast(), ShownText.bounded(title))
    }

    public func show(subtitle: String) {
        adw_preferences_row_set_use_markup(cast(), 0)
        adw_action_row_set_subtitle(cast(), ShownText.bounded(subtitle))
    }

    public func prepend(_ child: Widget) { adw_action_row_add_prefix(cast(), child.widget) }
    public func append(_ child: Widget) { adw_action_row_add_suffix(cast(), child.widget) }

    /// A click on the row activates this one of its widgets.
    public func activates(_ child: Widget) { adw_action_row_set_activatable_widget(cast(), child.widget) }

    /// Whether a click on it does something.
    public var isActivatable: Bool {
        get { gtk_list_box_row_get_activatable(cast()).isTrue }
        set { gtk_list_box_row_set_activatable(cast(), newValue.gboolean) }
    }

    /// Calls `body` when the row is clicked.
    public func onActivate(_ body: @escaping () -> Void) {
        gtk_list_box_row_set_activatable(cast(), 1)
        on("activated", body)
    }
}

/// A row with a switch.
public final class SwitchRow: ActionRow {
    public let control = Switch()

    public override init(_ title: String = "", subtitle: String? = nil) {
        super.init(title, subtitle: subtitle)
        control.align(vertical: .center).accessible(label: title)
        append(control)
        activates(control)
    }

    public var isActive: Bool {
        get { control.isActive }
        set { if newValue != control.isActive { control.isActive = newValue } }
    }

    @discardableResult
    public func onToggle(_ body: @escaping (Bool) -> Void) -> Connection { control.onToggle(body) }
}

/// A row with a choice among texts.
public final class ComboRow: ActionRow {
    public init(_ title: String, subtitle: String? = nil, choices: [String]) {
        super.init(row: UnsafeMutableRawPointer(adw_combo_row_new()))
        wrapsChoices()
        show(title: title)
        if let subtitle { show(subtitle: subtitle) }
        show(choices: choices)
    }

    /// Gives a choice that is too wide further lines; libadwaita would shorten it.
    private func wrapsChoices() {
        guard let factory = adw_combo_row_get_factory(cast()) else { return }
        // Called after libadwaita's own handler, which makes a label and a mark.
        Object(borrowing: UnsafeMutableRawPointer(factory)).connect("setup") { call in
            guard let item = call.object(1), let box = gtk_list_item_get_child(OpaquePointer(item)) else { return }
            Widget(borrowing: UnsafeMutableRawPointer(box)).forEachLabel { _, label in Label.wrapWhole(label) }
        }
    }

    public func show(choices: [String]) {
        let list = Object(adopting: UnsafeMutableRawPointer(gtk_string_list_new(nil)))
        for choice in choices { gtk_string_list_append(list.cast(), ShownText.bounded(choice)) }
        list.use { adw_combo_row_set_model(cast(), $0) }
    }

    public var selected: Int {
        get { Int(adw_combo_row_get_selected(cast())) }
        set { if newValue != selected { adw_combo_row_set_selected(cast(), guint(newValue)) } }
    }

    @discardableResult
    public func onSelect(_ body: @escaping (Int) -> Void) -> Connection {
        on("notify::selected", reading: { Int(adw_combo_row_get_selected($0.cast())) }, body)
    }
}

/// A row that expands to show further rows.
public final class ExpanderRow: Widget {
    public init(_ title: String) {
        super.init(adopting: UnsafeMutableRawPointer(adw_expander_row_new()))
        adw_preferences_row_set_use_markup(cast(), 0)
        adw_preferences_row_set_title(cast(), ShownText.bounded(title))
    }

    public func add(_ row: Widget) { adw_expander_row_add_row(cast(), row.widget) }

    public var isOpen: Bool {
        get { adw_expander_row_get_expanded(cast()).isTrue }
        set { adw_expander_row_set_expanded(cast(), newValue.gboolean) }
    }
}

/// A row with a text field and its title inside.
public class EntryRow: Widget, TextField {
    public init(_ title: String) {
        super.init(adopting: UnsafeMutableRawPointer(adw_entry_row_new()))
        show(title: title)
    }

    fileprivate init(row: UnsafeMutableRawPointer, title: String) {
        super.init(adopting: row)
        show(title: title)
    }

    public func show(title: String) {
        adw_preferences_row_set_use_markup(cast(), 0)
        adw_preferences_row_set_title(cast(), ShownText.bounded(title))
        accessible(label: title)
    }

    public func prepend(_ child: Widget) { adw_entry_row_add_prefix(cast(), child.widget) }
    public func append(_ child: Widget) { adw_entry_row_add_suffix(cast(), child.widget) }

    /// Shows a button that applies the text.
    public func showsApplyButton(_ isShown: Bool) { adw_entry_row_set_show_apply_button(cast(), isShown.gboolean) }
    public func onApply(_ body: @escaping () -> Void) { on("apply", body) }
    /// Calls `body` when Return was pressed.
    public func onActivate(_ body: @escaping () -> Void) { on("entry-activated", body) }
    /// Return activates the default widget of the window.
    public func activatesDefault() { adw_entry_row_set_activates_default(cast(), 1) }
    public func isWrong(_ isWrong: Bool) { css("error", isWrong) }
}

/// A row for a password.
public final class PasswordEntryRow: EntryRow {
    public override init(_ title: String) {
        super.init(row: UnsafeMutableRawPointer(adw_password_entry_row_new()), title: title)
        nameButtons(in: widget)
        // libadwaita 1.2 crashes if it is disposed of together with its window, so it lives a moment longer.
        connect("unrealize") { call in
            guard let row = call.emitter else { return }
            let kept = Object(borrowing: row.raw)
            MainLoop.schedule(.idle) { withExtendedLifetime(kept) {} }
        }
    }

    /// The button that shows the text has only a tip.
    private func nameButtons(in widget: UnsafeMutablePointer<GtkWidget>) {
        var child = gtk_widget_get_first_child(widget)
        while let next = child {
            let isButton = g_type_check_instance_is_a(
                UnsafeMutableRawPointer(next).assumingMemoryBound(to: GTypeInstance.self), gtk_button_get_type())
            if isButton.isTrue, let tip = gtk_widget_get_tooltip_text(next) {
                Self.update(next, .label, String(cString: tip))
            }
            nameButtons(in: next)
            child = gtk_widget_get_next_sibling(next)
        }
    }
}
