internal import CGTK

/// Widgets in a row or a column.
public final class Box: Widget {
    public init(_ orientation: Orientation, spacing: Int = 0, _ children: [Widget] = []) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_box_new(orientation.gtk, gint(clamping: spacing))))
        for child in children { append(child) }
    }

    public static func vertical(spacing: Int = 0, _ children: Widget...) -> Box {
        Box(.vertical, spacing: spacing, children)
    }

    public static func horizontal(spacing: Int = 0, _ children: Widget...) -> Box {
        Box(.horizontal, spacing: spacing, children)
    }

    public func append(_ child: Widget) { gtk_box_append(cast(), child.widget) }
    public func prepend(_ child: Widget) { gtk_box_prepend(cast(), child.widget) }
    public func insert(_ child: Widget, after other: Widget?) {
        gtk_box_insert_child_after(cast(), child.widget, other?.widget)
    }
    /// Moves a child behind another one; `nil` makes it the first.
    public func move(_ child: Widget, after other: Widget?) {
        gtk_box_reorder_child_after(cast(), child.widget, other?.widget)
    }
    public func remove(_ child: Widget) { gtk_box_remove(cast(), child.widget) }

    public func removeAll() {
        while let child = gtk_widget_get_first_child(widget) { gtk_box_remove(cast(), child) }
    }

    /// Changes the orientation.
    public func turn(_ orientation: Orientation) {
        gtk_orientable_set_orientation(cast(), orientation.gtk)
    }

    /// Gives all children the size of the largest.
    @discardableResult
    public func homogeneous() -> Self {
        gtk_box_set_homogeneous(cast(), 1)
        return self
    }
}

/// A container for one widget, which may change.
public final class Bin: Widget {
    public init(_ child: Widget? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(adw_bin_new()))
        show(child)
    }

    public func show(_ child: Widget?) { adw_bin_set_child(cast(), child?.widget) }
}

/// A container with a maximum width for readability.
public final class Clamp: Widget {
    public init(_ child: Widget, maximumWidth: Int) {
        super.init(adopting: UnsafeMutableRawPointer(adw_clamp_new()))
        limit(width: maximumWidth)
        adw_clamp_set_child(cast(), child.widget)
    }

    public func limit(width: Int) { adw_clamp_set_maximum_size(cast(), gint(clamping: width)) }
}

/// A thin line.
public final class Separator: Widget {
    public init(_ orientation: Orientation) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_separator_new(orientation.gtk)))
    }
}

/// Widgets on top of another one.
public final class Overlay: Widget {
    public init(_ child: Widget, _ above: Widget...) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_overlay_new()))
        gtk_overlay_set_child(cast(), child.widget)
        for widget in above { add(widget) }
    }

    /// - Parameter isMeasured: the overlay becomes as large as this child needs.
    public func add(_ child: Widget, isMeasured: Bool = false) {
        gtk_overlay_add_overlay(cast(), child.widget)
        if isMeasured { gtk_overlay_set_measure_overlay(cast(), child.widget, 1) }
    }

    public func remove(_ child: Widget) { gtk_overlay_remove_overlay(cast(), child.widget) }
}
