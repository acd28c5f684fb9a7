internal import CGTK

/// A container for one widget whose height follows its width: its natural width if there is space, smaller otherwise.
public final class ProportionalBin: Widget {
    private static let key = g_quark_from_static_string("hongyan-proportions")

    private final class Proportions {
        let width: Int
        let height: Int
        let minimumWidth: Int

        init(_ width: Int, _ height: Int, _ minimumWidth: Int) {
            (self.width, self.height, self.minimumWidth) = (width, height, minimumWidth)
        }

        /// It is never wider than its natural width, whatever width the height is requested for.
        func height(for width: Int) -> Int { max(1, (min(width, self.width) * height + self.width / 2) / self.width) }
    }

    /// - Parameter minimumWidth: the minimum width in pixels.
    public init(_ child: Widget, width: Int, height: Int, minimumWidth: Int) {
        super.init(adopting: UnsafeMutableRawPointer(adw_bin_new()))
        adw_bin_set_child(cast(), child.widget)
        let width = max(1, width)
        let proportions = Proportions(width, max(1, height), min(max(1, minimumWidth), width))
        g_object_set_qdata_full(
            cast(), Self.key, Unmanaged<AnyObject>.passRetained(proportions).toOpaque(),
            { data in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } })
        gtk_widget_set_layout_manager(widget, Self.layout())
    }

    private static func proportions(of widget: UnsafeMutablePointer<GtkWidget>) -> Proportions? {
        let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
        return g_object_get_qdata(object, key).flatMap {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? Proportions
        }
    }

    private static func layout() -> UnsafeMutablePointer<GtkLayoutManager>? {
        gtk_custom_layout_new(
            { _ in GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH },
            { widget, orientation, size, minimum, natural, _, _ in
                guard let widget, let proportions = ProportionalBin.proportions(of: widget) else { return }
                if orientation == .horizontal {
                    minimum?.pointee = gint(clamping: proportions.minimumWidth)
                    natural?.pointee = gint(clamping: proportions.width)
                } else {
                    let width = size < 0 ? proportions.width : Int(size)
                    let height = gint(clamping: proportions.height(for: width))
                    minimum?.pointee = height
                    natural?.pointee = height
                }
            },
            { widget, width, height, baseline in
                if let widget, let child = gtk_widget_get_first_child(widget) {
                    gtk_widget_allocate(child, width, height, baseline, nil)
                }
            })
    }
}
