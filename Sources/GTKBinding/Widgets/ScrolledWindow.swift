internal import CGTK

/// A place that is smaller than what is in it.
public final class ScrolledWindow: Widget {
    public init(_ child: Widget, horizontal: Bool = false) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_scrolled_window_new()))
        gtk_scrolled_window_set_child(cast(), child.widget)
        gtk_scrolled_window_set_policy(cast(), horizontal ? .automatic : .never, .automatic)
    }

    /// As high as its content, up to a limit in pixels.
    @discardableResult
    public func growsWithContent(upTo height: Int) -> Self {
        // With a scroll bar of its own it would be as high as that at least.
        gtk_scrolled_window_set_policy(cast(), .never, .external)
        gtk_scrolled_window_set_propagate_natural_height(cast(), 1)
        gtk_scrolled_window_set_max_content_height(cast(), gint(clamping: height))
        return self
    }

    /// The wheel beside it and at its end does not move what is around it.
    public func show(_ child: Widget?) { gtk_scrolled_window_set_child(cast(), child?.widget) }

    private var adjustment: Object {
        Object(borrowing: UnsafeMutableRawPointer(gtk_scrolled_window_get_vadjustment(cast())))
    }

    /// The place of its upper edge in the content, in pixels.
    public var offset: Double {
        get { gtk_adjustment_get_value(adjustment.cast()) }
        set { gtk_adjustment_set_value(adjustment.cast(), newValue) }
    }

    /// How high the content is, as far as that is known.
    public var contentHeight: Double { gtk_adjustment_get_upper(adjustment.cast()) }
    /// How much of it is to be seen.
    public var pageHeight: Double { gtk_adjustment_get_page_size(adjustment.cast()) }
    /// How much of it is below what is to be seen.
    public var remaining: Double { contentHeight - pageHeight - offset }

    /// Calls `body` when it was scrolled or its content has got another height.
    public func onScroll(_ body: @escaping () -> Void) {
        adjustment.on("value-changed", body)
        adjustment.on("changed", body)
    }
}
