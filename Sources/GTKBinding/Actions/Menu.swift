internal import CGTK

/// The model of a menu, which refers to actions by name.
///
///     Menu([.item("_Reply", "message.reply"), .section([.item("_Delete", "message.delete")])])
public final class Menu: Object {
    public indirect enum Entry {
        case item(String, String)
        /// An item whose action destroys something; a popover marks it.
        case destructive(String, String)
        /// An item of an action with a text parameter.
        case target(String, String, text: String)
        /// Items that separators set off from the others.
        case section(String? = nil, [Entry])
        case submenu(String, [Entry])
        /// A placeholder for a widget, in a menu that is shown as a popover.
        case placeholder(String)
    }

    /// The labels of the destructive items, also in sections.
    private(set) var destructiveLabels: [String] = []

    public init(_ entries: [Entry] = []) {
        super.init(adopting: UnsafeMutableRawPointer(g_menu_new()))
        for entry in entries { append(entry) }
    }

    public func append(_ entry: Entry) {
        switch entry {
        case .item(let label, let action): g_menu_append(cast(), label, action)
        case .destructive(let label, let action):
            g_menu_append(cast(), label, action)
            destructiveLabels.append(label)
        case .target(let label, let action, let text):
            let item = Object(adopting: UnsafeMutableRawPointer(g_menu_item_new(label, nil)))
            g_menu_item_set_action_and_target_value(item.cast(), action, g_variant_new_string(text))
            item.use { g_menu_append_item(cast(), $0) }
        case .section(let label, let entries):
            let section = Menu(entries)
            g_menu_append_section(cast(), label, section.cast())
            destructiveLabels += section.destructiveLabels
            withExtendedLifetime(section) {}
        case .submenu(let label, let entries):
            let submenu = Menu(entries)
            g_menu_append_submenu(cast(), label, submenu.cast())
            withExtendedLifetime(submenu) {}
        case .placeholder(let name):
            let item = Object(adopting: UnsafeMutableRawPointer(g_menu_item_new(nil, nil)))
            g_menu_item_set_attribute_value(item.cast(), "custom", g_variant_new_string(name))
            item.use { g_menu_append_item(cast(), $0) }
        }
    }

    public func removeAll() { g_menu_remove_all(cast()) }
}

extension Popover {
    /// Puts a widget into the placeholder of that name, see ``Menu/Entry/placeholder(_:)``.
    @discardableResult
    public func add(_ child: Widget, at place: String) -> Bool {
        gtk_popover_menu_add_child(cast(), child.widget, place).isTrue
    }
}
