internal import CGTK

extension Widget {
    /// A part of it can be seen: it is shown, not scrolled away, and its window is not minimized. Whether another window stands before
    /// it is not known.
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
