internal import CGTK

/// A multi-line text field.
public final class TextView: Widget {
    /// The state of the input method, for the lifetime of the widget.
    private final class Composition { var isActive = false }

    /// Whether the input method is composing text: keys such as Return belong to it.
    public var isComposing: Bool { composition.isActive }
    private let buffer: Object
    private let composition = Composition()
    private var plainTag: Object?
    private var underlineTag: Object?

    public init() {
        let view = gtk_text_view_new()
        buffer = Object(
            borrowing: UnsafeMutableRawPointer(
                gtk_text_view_get_buffer(UnsafeMutableRawPointer(view).assumingMemoryBound(to: GtkTextView.self))))
        super.init(adopting: UnsafeMutableRawPointer(view))
        gtk_text_view_set_wrap_mode(cast(), .wordChar)
        gtk_text_view_set_accepts_tab(cast(), 0)
        let composition = composition
        connect("preedit-changed") { call in composition.isActive = !(call.string(1) ?? "").isEmpty }
    }

    public var text: String {
        get { Self.text(of: buffer.cast()) }
        set { if newValue != text { gtk_text_buffer_set_text(buffer.cast(), newValue, gint(newValue.utf8.count)) } }
    }

    private static func text(of buffer: UnsafeMutablePointer<GtkTextBuffer>) -> String {
        var start = GtkTextIter()
        var end = GtkTextIter()
        gtk_text_buffer_get_bounds(buffer, &start, &end)
        guard let text = gtk_text_buffer_get_text(buffer, &start, &end, 0) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// The position of the cursor, in Unicode code points.
    public var cursor: Int {
        get {
            var iterator = GtkTextIter()
            gtk_text_buffer_get_iter_at_mark(buffer.cast(), &iterator, gtk_text_buffer_get_insert(buffer.cast()))
            return Int(gtk_text_iter_get_offset(&iterator))
        }
        set {
            var iterator = GtkTextIter()
            gtk_text_buffer_get_iter_at_offset(buffer.cast(), &iterator, gint(clamping: newValue))
            gtk_text_buffer_place_cursor(buffer.cast(), &iterator)
        }
    }

    /// Replaces the selection, or inserts text at the cursor.
    public func insert(_ text: String) {
        gtk_text_buffer_delete_selection(buffer.cast(), 1, 1)
        gtk_text_buffer_insert_at_cursor(buffer.cast(), text, gint(text.utf8.count))
    }

    /// Replaces a range, in Unicode code points, as a single undo step.
    public func replace(_ range: Range<Int>, with text: String) {
        var start = GtkTextIter()
        var end = GtkTextIter()
        gtk_text_buffer_begin_user_action(buffer.cast())
        gtk_text_buffer_get_iter_at_offset(buffer.cast(), &start, gint(clamping: range.lowerBound))
        gtk_text_buffer_get_iter_at_offset(buffer.cast(), &end, gint(clamping: range.upperBound))
        gtk_text_buffer_delete(buffer.cast(), &start, &end)
        gtk_text_buffer_insert(buffer.cast(), &start, text, gint(text.utf8.count))
        gtk_text_buffer_end_user_action(buffer.cast())
    }

    @discardableResult
    public func onChange(_ body: @escaping (String) -> Void) -> Connection {
        buffer.on("changed", reading: { Self.text(of: $0.cast()) }, body)
    }

    /// Performs changes without calling the handler of ``onChange(_:)``.
    public func withoutHearingChange(_ connection: Connection, _ body: () -> Void) {
        buffer.withoutHearing(connection, body)
    }

    /// Calls `body` when an input method starts, continues or ends composing text.
    public func onComposing(_ body: @escaping () -> Void) { on("preedit-changed", body) }

    public func onCursor(_ body: @escaping () -> Void) { buffer.on("notify::cursor-position", body) }

    /// Calls `body` when something is pasted; the result `true` means that it was handled and nothing should be
    /// inserted.
    public func onPaste(_ body: @escaping () -> Bool) {
        connect("paste-clipboard") { call in
            if let view = call.emitter, body() { g_signal_stop_emission_by_name(view.raw, "paste-clipboard") }
        }
    }

    /// Underlines exactly these ranges like misspelled words, in Unicode code points.
    public func underline(_ ranges: [Range<Int>]) {
        let tag: Object
        if let underlineTag {
            tag = underlineTag
        } else {
            tag = Object(adopting: gtk_text_tag_new(nil))
            tag.set("underline", Int(PANGO_UNDERLINE_ERROR.rawValue))
            gtk_text_tag_table_add(gtk_text_buffer_get_tag_table(buffer.cast()), tag.cast())
            underlineTag = tag
        }
        var start = GtkTextIter()
        var end = GtkTextIter()
        gtk_text_buffer_get_bounds(buffer.cast(), &start, &end)
        gtk_text_buffer_remove_tag(buffer.cast(), tag.cast(), &start, &end)
        for range in ranges {
            gtk_text_buffer_get_iter_at_offset(buffer.cast(), &start, gint(clamping: range.lowerBound))
            gtk_text_buffer_get_iter_at_offset(buffer.cast(), &end, gint(clamping: range.upperBound))
            gtk_text_buffer_apply_tag(buffer.cast(), tag.cast(), &start, &end)
        }
    }

    /// Entries of the field's menu below those of GTK; `nil` for none.
    public func addToMenu(_ menu: Menu?) { gtk_text_view_set_extra_menu(cast(), menu?.cast()) }

    /// Calls `body` with the place in the text, in Unicode code points, before the menu opens there.
    public func onMenuPlace(_ body: @escaping (Int) -> Void) {
        let gesture = gtk_gesture_click_new()
        gtk_gesture_single_set_button(gesture, 3)
        gtk_event_controller_set_propagation_phase(gesture, .capture)
        let click = Object(borrowing: UnsafeMutableRawPointer(gesture))
        gtk_widget_add_controller(widget, gesture)
        click.connect("pressed") { call in
            guard let emitter = call.emitter, let view = gtk_event_controller_get_widget(emitter.cast()) else { return }
            let text = UnsafeMutableRawPointer(view).assumingMemoryBound(to: GtkTextView.self)
            var (x, y): (gint, gint) = (0, 0)
            gtk_text_view_window_to_buffer_coords(text, .widget, gint(call.number(2)), gint(call.number(3)), &x, &y)
            var place = GtkTextIter()
            gtk_text_view_get_iter_at_location(text, &place, x, y)
            body(Int(gtk_text_iter_get_offset(&place)))
        }
    }

    /// Read-only, in a monospaced font, with line breaks anywhere: the cheapest way to show a long text.
    @discardableResult
    public func plain() -> Self {
        isEditable = false
        gtk_text_view_set_cursor_visible(cast(), 0)
        gtk_text_view_set_monospace(cast(), 1)
        gtk_text_view_set_wrap_mode(cast(), .char)
        // No hyphen is inserted at a line break, because in an address it would be read as a part of it.
        let tag = Object(adopting: gtk_text_tag_new(nil))
        tag.set("insert-hyphens", false)
        gtk_text_tag_table_add(gtk_text_buffer_get_tag_table(buffer.cast()), tag.cast())
        plainTag = tag
        return self
    }

    /// Appends text without moving the cursor. Characters that override the text direction become visible marks.
    public func append(_ text: String) {
        let shown = String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.overridesDirection ? "\u{FFFD}" : $0 }))
        var end = GtkTextIter()
        gtk_text_buffer_get_end_iter(buffer.cast(), &end)
        let place = gtk_text_iter_get_offset(&end)
        gtk_text_buffer_insert(buffer.cast(), &end, shown, gint(clamping: shown.utf8.count))
        guard let plainTag else { return }
        var start = GtkTextIter()
        gtk_text_buffer_get_iter_at_offset(buffer.cast(), &start, place)
        gtk_text_buffer_apply_tag(buffer.cast(), plainTag.cast(), &start, &end)
    }

    public var isEditable: Bool {
        get { gtk_text_view_get_editable(cast()).isTrue }
        set { gtk_text_view_set_editable(cast(), newValue.gboolean) }
    }

    /// The padding around the text.
    @discardableResult
    public func padding(horizontal: Int, vertical: Int) -> Self {
        gtk_text_view_set_left_margin(cast(), gint(clamping: horizontal))
        gtk_text_view_set_right_margin(cast(), gint(clamping: horizontal))
        gtk_text_view_set_top_margin(cast(), gint(clamping: vertical))
        gtk_text_view_set_bottom_margin(cast(), gint(clamping: vertical))
        return self
    }
}
