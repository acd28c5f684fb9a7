internal import CGTK

/// The bar at the top of a window or of one of its panes.
public final class HeaderBar: Widget {
    public init(title: Widget? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(adw_header_bar_new()))
        if let title { show(title: title) }
    }

    public func show(title: Widget?) { adw_header_bar_set_title_widget(cast(), title?.widget) }
    public func prepend(_ child: Widget) { adw_header_bar_pack_start(cast(), child.widget) }
    public func append(_ child: Widget) { adw_header_bar_pack_end(cast(), child.widget) }

    /// Whether the bar shows the buttons of the window.
    public func showsWindowButtons(start: Bool? = nil, end: Bool? = nil) {
        if let start { adw_header_bar_set_show_start_title_buttons(cast(), start.gboolean) }
        if let end { adw_header_bar_set_show_end_title_buttons(cast(), end.gboolean) }
    }

    /// A title in up to two lines, and a subtitle in one; what does not fit is shortened.
    public static func title(_ title: String, subtitle: String = "") -> WindowTitle { WindowTitle(title, subtitle) }
}

/// A title, in two lines where there is not enough space for one, with a smaller line below it.
public final class WindowTitle: Widget {
    public init(_ title: String, _ subtitle: String = "") {
        super.init(
            adopting: UnsafeMutableRawPointer(
                adw_window_title_new(ShownText.bounded(title), ShownText.bounded(subtitle))))
        // The title can be an address.
        breaksWordsWithoutHyphens()
        wrap(title)
    }

    public func show(title: String, subtitle: String = "") {
        wrap(title)
        adw_window_title_set_title(cast(), ShownText.bounded(title))
        adw_window_title_set_subtitle(cast(), ShownText.bounded(subtitle))
    }

    /// In characters. GTK warns about a label that may wrap and whose text is narrower than the least width that it gives it.
    private static let shortTitle = 8
    private static let longWord = 12

    /// Breaks a title into two lines where there is not enough space for one; libadwaita would shorten it.
    private func wrap(_ title: String) {
        let isLong = title.prefix(Self.shortTitle + 1).count > Self.shortTitle
        forEachLabel { widget, label in
            guard gtk_widget_has_css_class(widget, "title").isTrue else { return }
            // 5 and one line is what libadwaita sets.
            gtk_label_set_width_chars(label, isLong ? -1 : 5)
            gtk_label_set_single_line_mode(label, (!isLong).gboolean)
            gtk_label_set_wrap(label, isLong.gboolean)
            // A long word, such as an address, would make the window wide.
            let hasLongWord = title.split(whereSeparator: \.isWhitespace).contains { $0.count > Self.longWord }
            gtk_label_set_wrap_mode(label, hasLongWord ? .wordChar : .word)
            gtk_label_set_natural_wrap_mode(label, .none)
            gtk_label_set_justify(label, .center)
            gtk_label_set_lines(label, isLong ? 2 : -1)
        }
    }
}
