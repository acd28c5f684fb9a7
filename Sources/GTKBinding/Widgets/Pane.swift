internal import CGTK

/// A container for one widget whose width does not depend on its content: it needs a fixed width and wants a fixed width.
///
/// Only content that cannot be as narrow makes it wider.
public final class Pane: Widget {
    private static let key = g_quark_from_static_string("hongyan-pane")

    private final class Widths {
        let minimum: Int32
        let natural: Int32
        var allocated: Int32 = 0
        var onWidth: (Int) -> Void = { _ in }

        init(_ minimum: Int32, _ natural: Int32) { (self.minimum, self.natural) = (minimum, natural) }
    }

    private let widths: Widths

    /// - Parameters:
    ///   - width: the width that it has when there is enough space, in pixels.
    ///   - minimum: the smallest width, in pixels.
    public init(_ child: Widget? = nil, width: Int, minimum: Int) {
        widths = Widths(Int32(clamping: minimum), Int32(clamping: width))
        super.init(adopting: UnsafeMutableRawPointer(adw_bin_new()))
        g_object_set_qdata_full(
            cast(), Self.key, Unmanaged<AnyObject>.passRetained(widths).toOpaque(),
            { data in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } })
        gtk_widget_set_layout_manager(widget, Self.layout())
        show(child)
    }

    public func show(_ child: Widget?) { adw_bin_set_child(cast(), child?.widget) }

    /// Calls `body` with its width in pixels whenever that has changed, before the next frame.
    public func onWidth(_ body: @escaping (Int) -> Void) { widths.onWidth = body }

    private static func widths(of widget: UnsafeMutablePointer<GtkWidget>) -> Widths? {
        let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
        return g_object_get_qdata(object, key).flatMap {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? Widths
        }
    }

    private static func layout() -> UnsafeMutablePointer<GtkLayoutManager>? {
        gtk_custom_layout_new(
            { _ in GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH },
            { widget, orientation, size, minimum, natural, _, _ in
                guard let widget, let widths = Pane.widths(of: widget) else { return }
                var needed: (minimum: Int32, natural: Int32) = (0, 0)
                if let child = gtk_widget_get_first_child(widget) {
                    gtk_widget_measure(child, orientation, size, &needed.minimum, &needed.natural, nil, nil)
                }
                if orientation == .horizontal {
                    needed.minimum = max(needed.minimum, widths.minimum)
                    needed.natural = max(needed.minimum, widths.natural)
                }
                minimum?.pointee = needed.minimum
                natural?.pointee = needed.natural
            },
            { widget, width, height, baseline in
                guard let widget, let child = gtk_widget_get_first_child(widget) else { return }
                gtk_widget_allocate(child, width, height, baseline, nil)
                guard let widths = Pane.widths(of: widget), widths.allocated != width else { return }
                widths.allocated = width
                // Nothing may be shown or hidden during the layout.
                MainLoop.schedule { widths.onWidth(Int(width)) }
            })
    }
}
