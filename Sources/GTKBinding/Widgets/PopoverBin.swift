internal import CGTK

/// The content of a popover, not wider than the window that the popover is in: texts break into lines then.
final class PopoverBin: Widget {
    /// What a popover has around its content, on both sides together, in pixels: padding, border and shadow.
    private static let frame: gint = 64

    init(_ child: Widget) {
        super.init(adopting: UnsafeMutableRawPointer(adw_bin_new()))
        adw_bin_set_child(cast(), child.widget)
        gtk_widget_set_layout_manager(widget, Self.layout())
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
                if orientation == .horizontal, let window = gtk_widget_get_root(widget) {
                    let room = gtk_widget_get_width(
                        UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self))
                    if room > 0 { usual = max(least, min(usual, room - PopoverBin.frame)) }
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
