internal import CGTK

/// A widget that the program draws itself.
public final class DrawingArea: Widget {
    /// - Parameter draw: draws into an area of that many pixels; called again after ``Widget/queueDraw()``.
    public init(_ draw: @escaping (Drawing, _ width: Double, _ height: Double) -> Void) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_drawing_area_new()))
        // The widget draws as long as it is shown, even if no reference to this object is left.
        typealias Call = (area: UnsafeMutableRawPointer, context: OpaquePointer, width: Int32, height: Int32)
        let callback = Callback<Call, Void> { call in
            let drawing = Drawing(context: call.context, widget: Widget(borrowing: call.area))
            draw(drawing, Double(call.width), Double(call.height))
        }
        gtk_drawing_area_set_draw_func(
            cast(),
            { area, context, width, height, data in
                guard let area, let context, let data else { return }
                Callback<Call, Void>.from(data).body((UnsafeMutableRawPointer(area), context, width, height))
            }, callback.retained,
            { data in if let data { Callback<Call, Void>.release(data) } })
    }

    /// Its natural size.
    @discardableResult
    public func content(width: Int, height: Int) -> Self {
        gtk_drawing_area_set_content_width(cast(), gint(clamping: width))
        gtk_drawing_area_set_content_height(cast(), gint(clamping: height))
        return self
    }
}

/// The drawing context.
public struct Drawing {
    let context: OpaquePointer
    let widget: Widget

    /// Whether the text around it runs from right to left, and what points to the end of a line points to the left.
    public var isRightToLeft: Bool { widget.isRightToLeft }

    /// Uses the colour of text, so that the drawing fits light, dark and high contrast.
    public func useTextColor(opacity: Double = 1) {
        var color = GdkRGBA()
        gtk_style_context_get_color(gtk_widget_get_style_context(widget.widget), &color)
        use(color, opacity)
    }

    /// Uses a colour of the theme, for example `accent_bg_color`; that of text if there is none of this name.
    public func useColor(_ name: String, opacity: Double = 1) {
        var color = GdkRGBA()
        guard gtk_style_context_lookup_color(gtk_widget_get_style_context(widget.widget), name, &color).isTrue else {
            return useTextColor(opacity: opacity)
        }
        use(color, opacity)
    }

    /// Uses a colour that is the same in every theme; components from 0 to 1.
    public func use(red: Double, green: Double, blue: Double) { cairo_set_source_rgb(context, red, green, blue) }

    private func use(_ color: GdkRGBA, _ opacity: Double) {
        cairo_set_source_rgba(
            context, Double(color.red), Double(color.green), Double(color.blue), Double(color.alpha) * opacity)
    }

    /// A line with round ends.
    public func line(fromX x1: Double, y y1: Double, toX x2: Double, y y2: Double, width: Double) {
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
        cairo_set_line_width(context, width)
        cairo_move_to(context, x1, y1)
        cairo_line_to(context, x2, y2)
        cairo_stroke(context)
    }

    /// What `body` draws becomes transparent.
    public func erasing(_ body: () -> Void) {
        cairo_set_operator(context, CAIRO_OPERATOR_DEST_OUT)
        body()
        cairo_set_operator(context, CAIRO_OPERATOR_OVER)
    }

    public func circle(x: Double, y: Double, radius: Double) {
        cairo_arc(context, x, y, radius, 0, 2 * Double.pi)
        cairo_fill(context)
    }
}

extension Drawing {
    /// A polyline with round ends and corners.
    public func lines(_ points: [(x: Double, y: Double)], width: Double) {
        guard let first = points.first else { return }
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        cairo_set_line_width(context, width)
        cairo_move_to(context, first.x, first.y)
        for point in points.dropFirst() { cairo_line_to(context, point.x, point.y) }
        cairo_stroke(context)
    }

    /// A filled polygon.
    public func polygon(_ points: [(x: Double, y: Double)]) {
        guard let first = points.first else { return }
        cairo_move_to(context, first.x, first.y)
        for point in points.dropFirst() { cairo_line_to(context, point.x, point.y) }
        cairo_close_path(context)
        cairo_fill(context)
    }

    /// Filled squares of one size, without seams between neighbours.
    public func squares(_ corners: [(x: Double, y: Double)], side: Double) {
        for corner in corners { cairo_rectangle(context, corner.x, corner.y, side, side) }
        cairo_fill(context)
    }

    public func ring(x: Double, y: Double, radius: Double, width: Double) {
        cairo_set_line_width(context, width)
        cairo_new_sub_path(context)
        cairo_arc(context, x, y, radius, 0, 2 * Double.pi)
        cairo_stroke(context)
    }
}

extension Drawing {
    /// An arc, clockwise from its top; 0 and 1 are the same position.
    public func arc(x: Double, y: Double, radius: Double, from start: Double, to end: Double, width: Double) {
        cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
        cairo_set_line_width(context, width)
        cairo_new_sub_path(context)
        let top = -Double.pi / 2
        cairo_arc(context, x, y, radius, top + start * 2 * Double.pi, top + end * 2 * Double.pi)
        cairo_stroke(context)
    }
}
