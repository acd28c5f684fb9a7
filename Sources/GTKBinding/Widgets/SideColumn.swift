internal import CGTK

/// Widgets in a column, each with its natural width, all aligned to one side.
///
/// A box with aligned children looks the same. But for an aligned child GTK searches the minimum width at which its
/// height fits, and computes the layout of wrapped text about ten times for that.
public final class SideColumn: Widget {
    private static let key = g_quark_from_static_string("hongyan-side")

    private final class Settings {
        let spacing: Int32
        var isAtEnd = false

        init(spacing: Int32) { self.spacing = spacing }
    }

    private let settings: Settings

    public init(spacing: Int, _ children: Widget...) {
        settings = Settings(spacing: Int32(clamping: spacing))
        super.init(adopting: UnsafeMutableRawPointer(gtk_box_new(.vertical, 0)))
        g_object_set_qdata_full(
            cast(), Self.key, Unmanaged<AnyObject>.passRetained(settings).toOpaque(),
            { data in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } })
        gtk_widget_set_layout_manager(widget, Self.layout())
        for child in children { append(child) }
    }

    public func append(_ child: Widget) { gtk_box_append(cast(), child.widget) }
    public func insert(_ child: Widget, after other: Widget?) {
        gtk_box_insert_child_after(cast(), child.widget, other?.widget)
    }

    /// Whether its children are aligned to the end of lines.
    public func isAtEnd(_ isAtEnd: Bool) {
        guard settings.isAtEnd != isAtEnd else { return }
        settings.isAtEnd = isAtEnd
        gtk_widget_queue_allocate(widget)
    }

    private static func settings(of widget: UnsafeMutablePointer<GtkWidget>) -> Settings? {
        let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
        return g_object_get_qdata(object, key).flatMap {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? Settings
        }
    }

    /// The width of a child in the available space.
    private static func width(of child: UnsafeMutablePointer<GtkWidget>, in room: Int32) -> Int32 {
        let request = ChildLayout.measure(child, .horizontal, for: -1)
        return max(request.minimum, min(request.natural, room))
    }

    private static func layout() -> UnsafeMutablePointer<GtkLayoutManager>? {
        gtk_custom_layout_new(
            { _ in GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH },
            { widget, orientation, size, minimum, natural, _, _ in
                guard let widget, let settings = SideColumn.settings(of: widget) else { return }
                var total: (minimum: Int32, natural: Int32) = (0, 0)
                let children = ChildLayout.children(of: widget)
                for child in children {
                    if orientation == .horizontal {
                        let request = ChildLayout.measure(child, .horizontal, for: -1)
                        total = (max(total.minimum, request.minimum), max(total.natural, request.natural))
                    } else {
                        let width = size < 0 ? -1 : SideColumn.width(of: child, in: size)
                        let request = ChildLayout.measure(child, .vertical, for: width)
                        total = (total.minimum + request.minimum, total.natural + request.natural)
                    }
                }
                if orientation == .vertical, children.count > 1 {
                    let spaces = settings.spacing * Int32(children.count - 1)
                    total = (total.minimum + spaces, total.natural + spaces)
                }
                minimum?.pointee = total.minimum
                natural?.pointee = total.natural
            },
            { widget, room, _, _ in
                guard let widget, let settings = SideColumn.settings(of: widget) else { return }
                let isRightToLeft = gtk_widget_get_direction(widget) == .rtl
                var place = GtkAllocation()
                for child in ChildLayout.children(of: widget) {
                    place.width = SideColumn.width(of: child, in: room)
                    place.height = ChildLayout.measure(child, .vertical, for: place.width).natural
                    place.x = settings.isAtEnd == isRightToLeft ? 0 : room - place.width
                    gtk_widget_size_allocate(child, &place, -1)
                    place.y += place.height + settings.spacing
                }
            })
    }
}
