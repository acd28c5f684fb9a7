internal import CGTK

/// Buttons in a row; where there is not enough space for all of them, in several lines. It is as wide as its parent lets it be.
public final class FoldingRow: Widget {
    private static let key = g_quark_from_static_string("hongyan-folding")

    private final class Settings {
        let spacing: Int32
        let alignment: Alignment

        init(_ spacing: Int, _ alignment: Alignment) {
            (self.spacing, self.alignment) = (Int32(clamping: spacing), alignment)
        }
    }

    /// - Parameters:
    ///   - spacing: between the buttons and between the lines, in pixels.
    ///   - alignment: where a line is in a larger space.
    public init(spacing: Int, _ alignment: Alignment, _ children: Widget...) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_box_new(.horizontal, 0)))
        g_object_set_qdata_full(
            cast(), Self.key, Unmanaged<AnyObject>.passRetained(Settings(spacing, alignment)).toOpaque(),
            { data in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } })
        gtk_widget_set_layout_manager(widget, Self.layout())
        for child in children { append(child) }
    }

    public func append(_ child: Widget) { gtk_box_append(cast(), child.widget) }

    /// Some of the children, beside each other.
    private struct Line {
        var children: [(widget: UnsafeMutablePointer<GtkWidget>, width: Int32)] = []
        var (width, height): (Int32, Int32) = (0, 0)
    }

    /// The lines in a width.
    private struct Arrangement {
        let settings: Settings
        private(set) var lines: [Line] = []
        private(set) var minimumWidth: Int32 = 0

        /// - Parameter room: the width; negative if it is not known.
        init?(_ widget: UnsafeMutablePointer<GtkWidget>, in room: Int32) {
            let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
            let settings = g_object_get_qdata(object, FoldingRow.key).flatMap {
                Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? Settings
            }
            guard let settings else { return nil }
            self.settings = settings
            var line = Line()
            for child in ChildLayout.children(of: widget) {
                let request = ChildLayout.measure(child, .horizontal, for: -1)
                minimumWidth = max(minimumWidth, request.minimum)
                let width = room < 0 ? request.natural : max(request.minimum, min(request.natural, room))
                if !line.children.isEmpty, room >= 0, line.width + settings.spacing + width > room {
                    lines.append(line)
                    line = Line()
                }
                line.width += (line.children.isEmpty ? 0 : settings.spacing) + width
                line.height = max(line.height, ChildLayout.measure(child, .vertical, for: width).natural)
                line.children.append((child, width))
            }
            lines.append(line)
        }

        var height: Int32 { lines.reduce(settings.spacing * Int32(lines.count - 1)) { $0 + $1.height } }

        func allocate(in room: Int32, isRightToLeft: Bool) {
            var place = GtkAllocation()
            for line in lines {
                var x: Int32 =
                    switch settings.alignment {
                    case .center: (room - line.width) / 2
                    case .end: room - line.width
                    case .start, .fill, .baseline: 0
                    }
                for child in line.children {
                    (place.width, place.height) = (child.width, line.height)
                    place.x = isRightToLeft ? room - x - child.width : x
                    gtk_widget_size_allocate(child.widget, &place, -1)
                    x += child.width + settings.spacing
                }
                place.y += line.height + settings.spacing
            }
        }
    }

    private static func layout() -> UnsafeMutablePointer<GtkLayoutManager>? {
        gtk_custom_layout_new(
            { _ in GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH },
            { widget, orientation, size, minimum, natural, _, _ in
                let isWidth = orientation == .horizontal
                guard let widget, let arrangement = Arrangement(widget, in: isWidth ? -1 : size) else { return }
                minimum?.pointee = isWidth ? arrangement.minimumWidth : arrangement.height
                natural?.pointee = isWidth ? arrangement.lines[0].width : arrangement.height
            },
            { widget, room, _, _ in
                guard let widget else { return }
                Arrangement(widget, in: room)?.allocate(
                    in: room, isRightToLeft: gtk_widget_get_direction(widget) == .rtl)
            })
    }
}
