internal import CGTK

extension Widget {
    /// Tab leaves it, whatever is focused inside: a list is one stop, and the arrow keys move in it. GTK 4.8 stops at each
    /// row.
    @discardableResult
    public func oneTabStop() -> Self {
        onKey(.capture) { list, press in
            guard press.key == .tab, press.modifiers.isSubset(of: .shift) else { return false }
            return Self.leave(list.cast(), press.modifiers.contains(.shift) ? .tabBackward : .tabForward)
        }
        return self
    }

    /// Moves the focus to what comes next in the window, else around to its beginning.
    private static func leave(_ list: UnsafeMutablePointer<GtkWidget>, _ direction: GtkDirectionType) -> Bool {
        let native = gtk_widget_get_native(list).map { UnsafeMutableRawPointer($0) }
        var place = list
        while UnsafeMutableRawPointer(place) != native, let parent = gtk_widget_get_parent(place) {
            var sibling = next(place, direction)
            while let candidate = sibling {
                if gtk_widget_get_mapped(candidate).isTrue, gtk_widget_child_focus(candidate, direction).isTrue {
                    return true
                }
                sibling = next(candidate, direction)
            }
            place = parent
        }
        guard let root = gtk_widget_get_root(list) else { return false }
        gtk_root_set_focus(root, nil)
        return gtk_widget_child_focus(place, direction).isTrue
    }

    private static func next(
        _ widget: UnsafeMutablePointer<GtkWidget>, _ direction: GtkDirectionType
    ) -> UnsafeMutablePointer<GtkWidget>? {
        direction == .tabForward ? gtk_widget_get_next_sibling(widget) : gtk_widget_get_prev_sibling(widget)
    }
}
