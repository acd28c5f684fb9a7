internal import CGTK

public enum Orientation {
    case horizontal, vertical

    var gtk: GtkOrientation { self == .horizontal ? .horizontal : .vertical }
}

/// The alignment of a widget in a larger area.
public enum Alignment {
    case fill, start, end, center, baseline

    var gtk: GtkAlign {
        switch self {
        case .fill: .fill
        case .start: .start
        case .end: .end
        case .center: .center
        case .baseline: .baseline
        }
    }
}

extension Widget {
    /// Takes the available space.
    @discardableResult
    public func expand(_ orientations: Orientation..., when expands: Bool = true) -> Self {
        for orientation in orientations {
            switch orientation {
            case .horizontal: gtk_widget_set_hexpand(widget, expands.gboolean)
            case .vertical: gtk_widget_set_vexpand(widget, expands.gboolean)
            }
        }
        return self
    }

    @discardableResult
    public func align(horizontal: Alignment? = nil, vertical: Alignment? = nil) -> Self {
        if let horizontal { gtk_widget_set_halign(widget, horizontal.gtk) }
        if let vertical { gtk_widget_set_valign(widget, vertical.gtk) }
        return self
    }

    /// The minimum size in pixels; `nil` leaves that of the widget.
    @discardableResult
    public func minimumSize(width: Int = -1, height: Int = -1) -> Self {
        gtk_widget_set_size_request(widget, Int32(clamping: width), Int32(clamping: height))
        return self
    }

    @discardableResult
    public func margins(horizontal: Int, vertical: Int) -> Self {
        margins(start: horizontal, end: horizontal, top: vertical, bottom: vertical)
    }

    @discardableResult
    public func margins(
        start: Int? = nil, end: Int? = nil, top: Int? = nil, bottom: Int? = nil
    ) -> Self {
        if let start { gtk_widget_set_margin_start(widget, Int32(clamping: start)) }
        if let end { gtk_widget_set_margin_end(widget, Int32(clamping: end)) }
        if let top { gtk_widget_set_margin_top(widget, Int32(clamping: top)) }
        if let bottom { gtk_widget_set_margin_bottom(widget, Int32(clamping: bottom)) }
        return self
    }

    /// Clips children at its edge, for round corners.
    @discardableResult
    public func clipped() -> Self {
        gtk_widget_set_overflow(widget, .hidden)
        return self
    }

    public var isRightToLeft: Bool { gtk_widget_get_direction(widget) == .rtl }

    /// The text direction of it and its children; `nil` means that of the user's language.
    public func runs(rightToLeft: Bool?) {
        switch rightToLeft {
        case true?: gtk_widget_set_direction(widget, .rtl)
        case false?: gtk_widget_set_direction(widget, .ltr)
        case nil: gtk_widget_set_direction(widget, .none)
        }
    }
}

/// What a layout needs to know of the children of a widget.
enum ChildLayout {
    /// The visible ones.
    static func children(of widget: UnsafeMutablePointer<GtkWidget>) -> [UnsafeMutablePointer<GtkWidget>] {
        var children: [UnsafeMutablePointer<GtkWidget>] = []
        var next = gtk_widget_get_first_child(widget)
        while let child = next {
            if gtk_widget_should_layout(child).isTrue { children.append(child) }
            next = gtk_widget_get_next_sibling(child)
        }
        return children
    }

    static func measure(
        _ widget: UnsafeMutablePointer<GtkWidget>, _ orientation: GtkOrientation, for size: Int32
    ) -> (minimum: Int32, natural: Int32) {
        var (minimum, natural): (Int32, Int32) = (0, 0)
        gtk_widget_measure(widget, orientation, size, &minimum, &natural, nil, nil)
        return (minimum, natural)
    }
}
