internal import CGTK

/// A field for text of several lines.
public final class TextView: Widget {
    /// The input method is composing a word: keys such as Return belong to it.
    public private(set) var isComposing = false
    private let buffer: Object
    private var composing: () -> Void = {}

    public init() {
        let view = gtk_text_view_new()
        buffer = Object(
            borrowing: UnsafeMutableRawPointer(
                gtk_text_view_get_buffer(UnsafeMutableRawPointer(view).assumingMemoryBound(to: GtkTextView.self))))
        super.init(adopting: UnsafeMutableRawPointer(view))
        gtk_text_view_set_wrap_mode(cast(), .wordChar)
        gtk_text_view_set_accepts_tab(cast(), 0)
        connect("preedit-changed") { [weak self] call in
            self?.isComposing = !(call.string(1) ?? "").isEmpty
            self?.composing()
        }
    }

    public var text: String {
        get {
            var start = GtkTextIter()
            var end = GtkTextIter()
            gtk_text_buffer_get_bounds(buffer.cast(), &start, &end)
            guard let text = gtk_text_buffer_get_text(buffer.cast(), &start, &end, 0) else { return "" }
            defer { g_free(text) }
            return String(cString: text)
        }
        set { if newValue != text { gtk_text_buffer_set_text(buffer.cast(), newValue, gint(newValue.utf8.count)) } }
    }

    /// Where the cursor is, in Unicode code points.
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

    /// Puts text in the place of what is selected, or at the cursor.
    public func insert(_ text: String) {
        gtk_text_buffer_delete_selection(buffer.cast(), 1, 1)
        gtk_text_buffer_insert_at_cursor(buffer.cast(), text, gint(text.utf8.count))
    }

    /// Puts other text in the place of a range, counted in Unicode code points; one step of undo.
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
        buffer.on("changed") { [weak self] in if let self { body(self.text) } }
    }

    /// Does something of which the handler of ``onChange(_:)`` shall not hear.
    public func withoutHearingChange(_ connection: Connection, _ body: () -> Void) {
        buffer.withoutHearing(connection, body)
    }

    /// Calls `body` when an input method begins to compose a word, goes on, or ends it.
    public func onComposing(_ body: @escaping () -> Void) { composing = body }

    public func onCursor(_ body: @escaping () -> Void) { buffer.on("notify::cursor-position", body) }

    /// Calls `body` when something is pasted; the answer `true` means that it was no text and nothing is to be inserted.
    public func onPaste(_ body: @escaping () -> Bool) {
        connect("paste-clipboard") { [weak self] _ in
            if let self, body() { g_signal_stop_emission_by_name(self.raw, "paste-clipboard") }
        }
    }

    public var isEditable: Bool {
        get { gtk_text_view_get_editable(cast()).isTrue }
        set { gtk_text_view_set_editable(cast(), newValue.gboolean) }
    }

    /// Room inside of it around the text.
    @discardableResult
    public func padding(horizontal: Int, vertical: Int) -> Self {
        gtk_text_view_set_left_margin(cast(), gint(clamping: horizontal))
        gtk_text_view_set_right_margin(cast(), gint(clamping: horizontal))
        gtk_text_view_set_top_margin(cast(), gint(clamping: vertical))
        gtk_text_view_set_bottom_margin(cast(), gint(clamping: vertical))
        return self
    }
}
