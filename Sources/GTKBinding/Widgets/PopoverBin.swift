internal import CGTK

/// The content of a popover or a toast, not wider than the window or the area of toasts that it is in: texts break into lines then.
///
/// GTK asks a widget for its size once and remembers it. So it is asked again when the area has another width while the content is shown.
final class PopoverBin: Widget {
    /// What a popover has around its content, on both sides together, in pixels: padding, border and shadow. Margin and padding of a toast
    /// need as much.
    private static let frame: gint = 64

    init(_ child: Widget) {
        super.init(adopting: UnsafeMutableRawPointer(adw_bin_new()))
        adw_bin_set_child(cast(), child.widget)
        gtk_widget_set_layout_manager(widget, Self.layout())
        followWindow()
    }

    /// Lets everything in a popover be measured again.
    static func forgetSizes(in widget: UnsafeMutablePointer<GtkWidget>) {
        gtk_widget_queue_resize(widget)
        var child = gtk_widget_get_first_child(widget)
        while let next = child {
            forgetSizes(in: next)
            child = gtk_widget_get_next_sibling(next)
        }
    }

    /// While it is shown, it is measured again when the area in which it is has another width.
    private func followWindow() {
        var following: (surface: Object, connection: Connection)?
        let end = {
            if let (surface, connection) = following { surface.disconnect(connection) }
            following = nil
        }
        connect("map") { call in
            end()
            guard let bin = call.emitter, let window = gtk_widget_get_root(bin.cast()),
                let surface = gtk_native_get_surface(window)
            else { return }
            let (widget, followed): (UnsafeMutablePointer<GtkWidget>, Object) = (
                bin.cast(), Object(borrowing: UnsafeMutableRawPointer(surface))
            )
            var room = Self.room(for: widget)
            // The window was connected before, and has given everything in it the new sizes already.
            let connection = followed.on("layout") {
                let now = Self.room(for: widget)
                guard now != room else { return }
                room = now
                gtk_widget_queue_resize(widget)
                // A popover has a surface of its own, which keeps its size otherwise.
                if let popover = gtk_widget_get_ancestor(widget, gtk_popover_get_type()) {
                    gtk_popover_present(UnsafeMutableRawPointer(popover).assumingMemoryBound(to: GtkPopover.self))
                }
            }
            following = (followed, connection)
        }
        on("unmap", end)
    }

    /// The width that there is for its content; `nil` before the window is shown.
    private static func room(for widget: UnsafeMutablePointer<GtkWidget>) -> gint? {
        guard let toasts = gtk_widget_get_ancestor(widget, adw_toast_overlay_get_type()),
            gtk_widget_get_ancestor(widget, gtk_popover_get_type()) == nil
        else {
            guard let window = gtk_widget_get_root(widget) else { return nil }
            let width = gtk_widget_get_width(
                UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self))
            return width > 0 ? width - frame : nil
        }
        let width = gtk_widget_get_width(toasts)
        guard width > 0 else { return nil }
        // The buttons of a toast are beside the place of its text.
        let place = gtk_widget_get_parent(widget)
        var next = place.flatMap { gtk_widget_get_parent($0) }.flatMap { gtk_widget_get_first_child($0) }
        var buttons: gint = 0
        while let child = next {
            if child != place, gtk_widget_should_layout(child).isTrue {
                var natural: gint = 0
                gtk_widget_measure(child, .horizontal, -1, nil, &natural, nil, nil)
                buttons += natural
            }
            next = gtk_widget_get_next_sibling(child)
        }
        return width - frame - buttons
    }

    private static func layout() -> UnsafeMutablePointer<GtkLayoutManager>? {
        gtk_custom_layout_new(
            { _ in GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH },
            { widget, orientation, size, minimum, natural, _, _ in
                guard let widget, let child = gtk_widget_get_first_child(widget) else { return }
                var (least, usual): (gint, gint) = (0, 0)
                // A scrolled window asks for the height at no width: it is the one that is used.
                var size = size
                if orientation == .vertical, size < 0 {
                    gtk_widget_measure(widget, .horizontal, -1, nil, &size, nil, nil)
                }
                gtk_widget_measure(child, orientation, size, &least, &usual, nil, nil)
                if orientation == .horizontal, let room = PopoverBin.room(for: widget) {
                    usual = max(least, min(usual, room))
                }
                minimum?.pointee = least
                natural?.pointee = usual
            },
            { widget, width, height, baseline in
                if let widget, let child = gtk_widget_get_first_child(widget) {
                    gtk_widget_allocate(child, width, height, baseline, nil)
                }
            })
    }
}
