internal import CGTK

/// A button that opens a menu or a popover.
public final class MenuButton: Widget {
    public init(icon: String) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_menu_button_new()))
        gtk_menu_button_set_icon_name(cast(), icon)
    }

    public init(_ child: Widget) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_menu_button_new()))
        gtk_menu_button_set_child(cast(), child.widget)
    }

    public func show(icon: String) { gtk_menu_button_set_icon_name(cast(), icon) }
    public func show(_ menu: Menu?) { gtk_menu_button_set_menu_model(cast(), menu?.cast()) }
    public func show(_ popover: Popover?) { gtk_menu_button_set_popover(cast(), popover?.widget) }

    /// Creates its popover when it is opened for the first time.
    public func show(whenOpened make: @escaping () -> Popover) {
        gtk_menu_button_set_create_popup_func(
            cast(),
            { button, data in
                guard let button, let data else { return }
                // The window may have another width than before: see ``PopoverBin``.
                if let popover = gtk_menu_button_get_popover(button) {
                    PopoverBin.forgetSizes(in: UnsafeMutableRawPointer(popover).assumingMemoryBound(to: GtkWidget.self))
                    return
                }
                let popover = Callback<Void, Popover>.from(data).body(())
                gtk_menu_button_set_popover(button, popover.widget)
                withExtendedLifetime(popover) {}
            }, Callback<Void, Popover> { make() }.retained,
            { data in if let data { Callback<Void, Popover>.release(data) } })
    }

    /// Makes F10 open this one.
    @discardableResult
    public func primary() -> Self {
        gtk_menu_button_set_primary(cast(), 1)
        return self
    }

    @discardableResult
    public func opensUpwards() -> Self {
        gtk_menu_button_set_direction(cast(), .up)
        return self
    }

    public func open() { gtk_menu_button_popup(cast()) }
    public func close() { gtk_menu_button_popdown(cast()) }
}

/// A small window on top of others that closes when something else is clicked.
public class Popover: Widget {
    public init(_ child: Widget? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_popover_new()))
        gtk_popover_set_child(cast(), child?.widget)
    }

    /// Content that breaks its texts into lines where the window is narrow, and scrolls beyond a height in pixels.
    public init(fitting child: Widget, upTo height: Int, showsBar: Bool = false) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_popover_new()))
        let scroller = ScrolledWindow(PopoverBin(child)).isAsWideAsContent()
            .growsWithContent(upTo: height, showsBar: showsBar)
        gtk_popover_set_child(cast(), scroller.widget)
    }

    /// A menu as a popover, for a secondary click.
    public init(_ menu: Menu) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_popover_menu_new_from_model(menu.cast())))
        gtk_popover_set_has_arrow(cast(), 0)
        gtk_widget_set_halign(widget, .start)
        for label in menu.destructiveLabels { style(item: label, "destructive") }
    }

    /// Whether the item with a label is marked as destructive, for tests.
    package func isDestructive(item label: String) -> Bool {
        var isDestructive = false
        forEachItem(labelled: label) { isDestructive = gtk_widget_has_css_class($0, "destructive").isTrue }
        return isDestructive
    }

    /// Whether there is an item with a label, for tests.
    package func has(item label: String) -> Bool {
        var isThere = false
        forEachItem(labelled: label) { _ in isThere = true }
        return isThere
    }

    /// Adds a CSS class to the item with a label.
    private func style(item label: String, _ name: String) {
        forEachItem(labelled: label) { gtk_widget_add_css_class($0, name) }
    }

    /// GTK has no public class of items.
    private func forEachItem(labelled label: String, _ body: (UnsafeMutablePointer<GtkWidget>) -> Void) {
        func visit(_ widget: UnsafeMutablePointer<GtkWidget>) {
            var child = gtk_widget_get_first_child(widget)
            while let current = child {
                let instance = UnsafeMutableRawPointer(current).assumingMemoryBound(to: GTypeInstance.self)
                if String(cString: g_type_name_from_instance(instance)) == "GtkModelButton",
                    Object(borrowing: UnsafeMutableRawPointer(current)).string("text") == label
                {
                    body(current)
                }
                visit(current)
                child = gtk_widget_get_next_sibling(current)
            }
        }
        visit(widget)
    }

    fileprivate init(chooser: UnsafeMutableRawPointer) { super.init(adopting: chooser) }

    public func show(_ child: Widget) { gtk_popover_set_child(cast(), child.widget) }
    public func close() { gtk_popover_popdown(cast()) }
    public func onClose(_ body: @escaping () -> Void) { on("closed", body) }

    /// Opens it at a point of a widget; it is removed from there, and of no more use, when it is closed.
    ///
    /// - Parameter parent: a widget that outlives it, not a row that may be reused for another item.
    public func open(at x: Double, _ y: Double, of parent: Widget) {
        let isNew = gtk_widget_get_parent(widget) == nil
        if isNew { gtk_widget_set_parent(widget, parent.widget) }
        var place = GdkRectangle(x: gint(x), y: gint(y), width: 1, height: 1)
        gtk_popover_set_pointing_to(cast(), &place)
        // A menu inserts the lines between its sections when the main loop is idle. A popover that is measured before that
        // is too low for its last entries.
        MainLoop.schedule(.idle) { [self] in
            // Its window may have been closed meanwhile; GTK crashes if it has none.
            guard let place = gtk_widget_get_parent(widget), gtk_widget_get_mapped(place).isTrue else { return }
            gtk_popover_popup(cast())
        }
        guard isNew else { return }
        let focus = gtk_widget_get_root(parent.widget).flatMap { gtk_root_get_focus($0) }
            .map { Object(borrowing: UnsafeMutableRawPointer($0)) }
        // The chosen action runs after the popover closes, and needs its parent until then.
        var closing: [(Object, Connection)] = []
        let end = { [self] in
            for (object, connection) in closing { object.disconnect(connection) }
            closing = []
            guard gtk_widget_get_parent(widget) != nil else { return }
            gtk_widget_unparent(widget)
            // GTK 4.8 may place the pointer in a popover that has just closed. If that still exists at the next layout of the window,
            // but has no surface any more, GTK crashes. When it is disposed of, the pointer is placed in the window again.
            g_object_run_dispose(cast())
        }
        closing.append(
            (
                self,
                on("closed") {
                    // The focus returns to where it was; the chosen action may move it then.
                    if let focus, gtk_widget_get_root(focus.cast()) != nil { gtk_widget_grab_focus(focus.cast()) }
                    MainLoop.schedule(.idle) { end() }
                }
            ))
        closing.append((parent, parent.on("destroy", end)))
    }
}

/// The emoji chooser of the desktop.
public final class EmojiChooser: Popover {
    public init(_ body: @escaping (String) -> Void) {
        super.init(chooser: UnsafeMutableRawPointer(gtk_emoji_chooser_new()))
        connect("emoji-picked") { call in if let emoji = call.string(1) { body(emoji) } }
    }
}
