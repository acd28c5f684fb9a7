internal import CGTK

/// A scrollable area.
public final class ScrolledWindow: Widget {
    public init(_ child: Widget, horizontal: Bool = false) {
        FollowedSettings.areLeft
        super.init(adopting: UnsafeMutableRawPointer(gtk_scrolled_window_new()))
        gtk_scrolled_window_set_child(cast(), child.widget)
        gtk_scrolled_window_set_policy(cast(), horizontal ? .automatic : .never, .automatic)
    }

    /// Takes the natural width of its content instead of the smallest one.
    @discardableResult
    public func isAsWideAsContent() -> Self {
        gtk_scrolled_window_set_propagate_natural_width(cast(), 1)
        return self
    }

    /// Takes the height of its content, up to a limit in pixels.
    ///
    /// - Parameter showsBar: beyond the limit there is a scroll bar, which gives it a larger minimum height.
    @discardableResult
    public func growsWithContent(upTo height: Int, showsBar: Bool = false) -> Self {
        gtk_scrolled_window_set_policy(cast(), .never, showsBar ? .automatic : .external)
        gtk_scrolled_window_set_overlay_scrolling(cast(), showsBar ? 0 : 1)
        gtk_scrolled_window_set_propagate_natural_height(cast(), 1)
        gtk_scrolled_window_set_max_content_height(cast(), gint(clamping: height))
        return self
    }

    /// Scrolling at its ends and beside it does not move the surrounding area.
    public func show(_ child: Widget?) { gtk_scrolled_window_set_child(cast(), child?.widget) }

    private var adjustment: Object {
        Object(borrowing: UnsafeMutableRawPointer(gtk_scrolled_window_get_vadjustment(cast())))
    }

    /// The position of its upper edge in the content, in pixels.
    public var offset: Double {
        get { gtk_adjustment_get_value(adjustment.cast()) }
        set { gtk_adjustment_set_value(adjustment.cast(), newValue) }
    }

    /// The height of the content, as far as it is known.
    public var contentHeight: Double { gtk_adjustment_get_upper(adjustment.cast()) }
    /// The height of the visible part.
    public var pageHeight: Double { gtk_adjustment_get_page_size(adjustment.cast()) }
    /// The height of the content below the visible part.
    public var remaining: Double { contentHeight - pageHeight - offset }

    /// Calls `body` when it was scrolled or the height of its content changed.
    public func onScroll(_ body: @escaping () -> Void) {
        adjustment.on("value-changed", body)
        adjustment.on("changed", body)
    }

    /// The visible part of the content, in pixels.
    public var visiblePart: (x: Double, y: Double, width: Double, height: Double) {
        let across = acrossAdjustment
        return (
            gtk_adjustment_get_value(across.cast()), offset, gtk_adjustment_get_page_size(across.cast()), pageHeight
        )
    }

    /// Moves the upper left corner of the visible part to a position of the content, as far as it can be scrolled.
    public func scroll(toX x: Double, y: Double) {
        gtk_adjustment_set_value(acrossAdjustment.cast(), x)
        offset = y
    }

    /// Calls `body` when ``visiblePart`` or the size of the content changed.
    public func onMove(_ body: @escaping () -> Void) {
        for adjustment in [adjustment, acrossAdjustment] {
            adjustment.on("value-changed", body)
            adjustment.on("changed", body)
        }
    }

    private var acrossAdjustment: Object {
        Object(borrowing: UnsafeMutableRawPointer(gtk_scrolled_window_get_hadjustment(cast())))
    }
}

/// GTK 4.8 looks for another handler than the one with which a scrolled window follows the settings, so that it stays: the
/// next change of the setting calls it for a widget that is gone.
private enum FollowedSettings {
    /// All scrolled windows, also those that GTK creates, stop following the settings when they are not shown any more.
    static let areLeft: Void = { unrealize = exchange(with: { leave($0) }) }()

    private typealias Unrealize = @convention(c) (UnsafeMutablePointer<GtkWidget>?) -> Void
    private static var unrealize: Unrealize?

    private static func exchange(with other: Unrealize) -> Unrealize? {
        guard let kind = g_type_class_ref(gtk_scrolled_window_get_type()) else { return nil }
        let widget = kind.assumingMemoryBound(to: GtkWidgetClass.self)
        defer { widget.pointee.unrealize = other }
        return widget.pointee.unrealize
    }

    private static func leave(_ widget: UnsafeMutablePointer<GtkWidget>?) {
        let settings = gtk_widget_get_settings(widget).map { UnsafeMutableRawPointer($0) }
        g_signal_handlers_disconnect_matched(settings, .data, 0, 0, nil, nil, widget)
        unrealize?(widget)
    }
}
