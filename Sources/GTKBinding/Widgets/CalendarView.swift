internal import CGTK

/// A month in which a day can be selected.
public final class CalendarView: Widget {
    /// A day of the calendar.
    public struct Day: Hashable, Sendable {
        public var year: Int
        /// 1 to 12.
        public var month: Int
        public var day: Int

        public init(year: Int, month: Int, day: Int) {
            (self.year, self.month, self.day) = (year, month, day)
        }
    }

    public init() { super.init(adopting: UnsafeMutableRawPointer(gtk_calendar_new())) }

    /// Names the buttons that GTK leaves unnamed.
    ///
    /// - Parameter buttons: the names of those to the previous and the next month, and to the previous and the next year.
    public func name(buttons names: [String]) {
        var names = names[...]
        func visit(_ widget: UnsafeMutablePointer<GtkWidget>) {
            let isButton = g_type_check_instance_is_a(
                UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self), gtk_button_get_type())
            if isButton.isTrue, let name = names.popFirst() { Self.update(widget, .label, name) }
            var child = gtk_widget_get_first_child(widget)
            while let next = child {
                visit(next)
                child = gtk_widget_get_next_sibling(next)
            }
        }
        visit(widget)
    }

    /// The selected day; its month is shown.
    public var day: Day {
        get {
            let date = gtk_calendar_get_date(cast())
            defer { g_date_time_unref(date) }
            var (year, month, day): (gint, gint, gint) = (0, 0, 0)
            g_date_time_get_ymd(date, &year, &month, &day)
            return Day(year: Int(year), month: Int(month), day: Int(day))
        }
        set {
            guard newValue != day,
                let date = g_date_time_new_local(
                    gint(newValue.year), gint(newValue.month), gint(newValue.day), 12, 0, 0)
            else { return }
            defer { g_date_time_unref(date) }
            gtk_calendar_select_day(cast(), date)
        }
    }

    /// Marks exactly these days of the displayed month.
    public func mark(_ days: Set<Int>) {
        gtk_calendar_clear_marks(cast())
        for day in days { gtk_calendar_mark_day(cast(), guint(day)) }
    }

    /// Calls `body` when another day was selected.
    public func onSelect(_ body: @escaping () -> Void) { on("day-selected", body) }

    /// Calls `body` when another month is displayed.
    public func onMonth(_ body: @escaping () -> Void) {
        for signal in ["next-month", "prev-month", "next-year", "prev-year"] { on(signal, body) }
    }
}
