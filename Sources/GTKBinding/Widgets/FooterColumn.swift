internal import CGTK

/// A column of widgets with a footer that stands in the last line of the text above it, if there is room, otherwise on a
/// line of its own.
///
///     let column = FooterColumn(footer: time, spacing: 3, gap: 8, text)
///     column.lastText = text
public final class FooterColumn: Widget {
    private static let key = g_quark_from_static_string("hongyan-footer")

    private final class Settings {
        let footer: Widget
        let spacing: Int32
        let gap: Int32
        var lastText: Label?
        var widthLimit: Int32?
        /// The end of the text for the widths in use; a row is measured several times for each.
        private var known: [(width: Int32, serial: guint, end: End)] = []

        init(_ footer: Widget, _ spacing: Int, _ gap: Int) {
            self.footer = footer
            self.spacing = Int32(clamping: spacing)
            self.gap = Int32(clamping: gap)
        }

        func forget() { known = [] }

        /// Where a text ends.
        struct End {
            var line = PangoRectangle()
            /// Whether a line is broken because it is too long.
            var isWrapped = false
        }

        /// The end of the text in a layout of that width, in pixels.
        func end(at width: Int32) -> End? {
            guard let lastText, lastText.isVisible else { return nil }
            guard let layout = gtk_label_get_layout(lastText.cast()) else { return nil }
            let serial = pango_context_get_serial(pango_layout_get_context(layout))
            if let found = known.first(where: { $0.width == width && $0.serial == serial }) { return found.end }
            guard let copy = pango_layout_copy(layout) else { return nil }
            defer { g_object_unref(UnsafeMutableRawPointer(copy)) }
            pango_layout_set_width(copy, width * PANGO_SCALE)
            var end = End()
            guard let lines = pango_layout_get_iter(copy) else { return nil }
            repeat {
                pango_layout_iter_get_line_extents(lines, nil, &end.line)
            } while pango_layout_iter_next_line(lines).isTrue
            pango_layout_iter_free(lines)
            pango_extents_to_pixels(&end.line, nil)
            end.isWrapped = pango_layout_is_wrapped(copy).isTrue
            if known.count >= 3 { known.removeFirst() }
            known.append((width, serial, end))
            return end
        }
    }

    private let settings: Settings

    /// - Parameters:
    ///   - spacing: between the children, in pixels.
    ///   - gap: between the text and the footer beside it, in pixels.
    public init(footer: Widget, spacing: Int, gap: Int, _ children: Widget...) {
        settings = Settings(footer, spacing, gap)
        super.init(adopting: UnsafeMutableRawPointer(gtk_box_new(.vertical, 0)))
        g_object_set_qdata_full(
            cast(), Self.key, Unmanaged<AnyObject>.passRetained(settings).toOpaque(),
            { data in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } })
        gtk_widget_set_layout_manager(widget, Self.layout())
        for child in children { gtk_box_append(cast(), child.widget) }
        gtk_box_append(cast(), footer.widget)
    }

    /// Inserts a widget before the footer.
    public func insert(_ child: Widget, after other: Widget?) {
        gtk_box_insert_child_after(cast(), child.widget, other?.widget)
    }

    public func remove(_ child: Widget) { gtk_box_remove(cast(), child.widget) }

    /// The label that ends the text; `nil` puts the footer on a line of its own. Set it again when its text has changed.
    public var lastText: Label? {
        get { settings.lastText }
        set {
            settings.lastText = newValue
            settings.forget()
        }
    }

    /// The natural width at most, in pixels: text wraps then. `nil` is that of the content.
    public var widthLimit: Int? {
        get { settings.widthLimit.map(Int.init) }
        set {
            let limit = newValue.map { Int32(clamping: $0) }
            guard limit != settings.widthLimit else { return }
            settings.widthLimit = limit
            gtk_widget_queue_resize(widget)
        }
    }

    // MARK: Layout

    private typealias Place = UnsafeMutablePointer<GtkWidget>

    /// The sizes of the content above the footer, and of the footer.
    private struct Measured {
        var minimum: Int32 = 0
        var natural: Int32 = 0
        var footer: (width: Int32, height: Int32) = (0, 0)
    }

    private static func settings(of widget: Place) -> Settings? {
        let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
        return g_object_get_qdata(object, key).flatMap {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? Settings
        }
    }

    private static func content(of widget: Place, _ settings: Settings) -> [Place] {
        ChildLayout.children(of: widget).filter { $0 != settings.footer.widget }
    }

    private static func widths(_ children: [Place], _ settings: Settings) -> Measured {
        var measured = Measured()
        for child in children {
            let width = ChildLayout.measure(child, .horizontal, for: -1)
            measured.minimum = max(measured.minimum, width.minimum)
            measured.natural = max(measured.natural, width.natural)
        }
        if let limit = settings.widthLimit { measured.natural = max(measured.minimum, min(measured.natural, limit)) }
        if gtk_widget_should_layout(settings.footer.widget).isTrue {
            let width = ChildLayout.measure(settings.footer.widget, .horizontal, for: -1).natural
            measured.footer = (width, ChildLayout.measure(settings.footer.widget, .vertical, for: width).natural)
        }
        return measured
    }

    /// Where the footer goes in a column of that width.
    private static func isBeside(
        _ widget: Place, _ measured: Measured, _ settings: Settings, in width: Int32
    ) -> Bool {
        let room = min(width, measured.natural)
        guard measured.footer.width > 0, let line = settings.end(at: room)?.line else { return false }
        if gtk_widget_get_direction(widget) == .rtl {
            return width - room + line.x >= settings.gap + measured.footer.width
        }
        return line.x + line.width + settings.gap + measured.footer.width <= width
    }

    private static func heights(_ children: [Place], _ settings: Settings, for width: Int32) -> Int32 {
        var height: Int32 = 0
        for (index, child) in children.enumerated() {
            height += ChildLayout.measure(child, .vertical, for: width).natural + (index > 0 ? settings.spacing : 0)
        }
        return height
    }

    /// The width at which nothing wraps that need not.
    private static func naturalWidth(_ widget: Place, _ measured: Measured, _ settings: Settings) -> Int32 {
        var natural = max(measured.natural, measured.footer.width)
        if measured.footer.width > 0, let end = settings.end(at: measured.natural) {
            let isRightToLeft = gtk_widget_get_direction(widget) == .rtl
            let used = isRightToLeft ? measured.natural - end.line.x : end.line.x + end.line.width
            let desired = used + settings.gap + measured.footer.width
            // Text that wraps, or has to fit a width, keeps its width, and the footer goes below.
            let isFree = settings.widthLimit == nil && !end.isWrapped
            if isFree || desired <= max(measured.natural, settings.widthLimit ?? 0) { natural = max(natural, desired) }
        }
        return natural
    }

    private static func layout() -> UnsafeMutablePointer<GtkLayoutManager>? {
        gtk_custom_layout_new(
            { _ in GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH },
            { widget, orientation, size, minimum, natural, _, _ in
                guard let widget, let settings = FooterColumn.settings(of: widget) else { return }
                let children = FooterColumn.content(of: widget, settings)
                let measured = FooterColumn.widths(children, settings)
                if orientation == .horizontal {
                    let least = max(measured.minimum, measured.footer.width)
                    minimum?.pointee = least
                    natural?.pointee = max(least, FooterColumn.naturalWidth(widget, measured, settings))
                    return
                }
                let width = size < 0 ? FooterColumn.naturalWidth(widget, measured, settings) : size
                let height = FooterColumn.heights(children, settings, for: min(width, max(1, measured.natural)))
                let isBeside = FooterColumn.isBeside(widget, measured, settings, in: width)
                let space = children.isEmpty ? 0 : settings.spacing
                let total = isBeside ? max(height, measured.footer.height) : height + space + measured.footer.height
                minimum?.pointee = measured.footer.width > 0 ? total : height
                natural?.pointee = measured.footer.width > 0 ? total : height
            },
            { widget, width, height, _ in
                guard let widget, let settings = FooterColumn.settings(of: widget) else { return }
                let children = FooterColumn.content(of: widget, settings)
                let measured = FooterColumn.widths(children, settings)
                let isRightToLeft = gtk_widget_get_direction(widget) == .rtl
                var place = GtkAllocation()
                place.width = min(width, max(1, measured.natural))
                place.x = isRightToLeft ? width - place.width : 0
                for child in children {
                    place.height = ChildLayout.measure(child, .vertical, for: place.width).natural
                    gtk_widget_size_allocate(child, &place, -1)
                    place.y += place.height + settings.spacing
                }
                guard measured.footer.width > 0 else { return }
                var footer = GtkAllocation()
                footer.width = min(width, measured.footer.width)
                footer.height = measured.footer.height
                footer.x = isRightToLeft ? 0 : width - footer.width
                footer.y = height - footer.height
                gtk_widget_size_allocate(settings.footer.widget, &footer, -1)
            })
    }
}
