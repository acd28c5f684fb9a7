internal import CGTK

/// The common interface of single-line fields: text, cursor, a signal for changes.
public protocol TextField: Widget {}

extension TextField {
    public var text: String {
        get { String(cString: gtk_editable_get_text(cast())) }
        set { if newValue != text { gtk_editable_set_text(cast(), newValue) } }
    }

    @discardableResult
    public func onChange(_ body: @escaping (String) -> Void) -> Object.Connection {
        on("changed", reading: { String(cString: gtk_editable_get_text($0.cast())) }, body)
    }

    public func selectAll() { gtk_editable_select_region(cast(), 0, -1) }
    public func moveCursorToEnd() { gtk_editable_set_position(cast(), -1) }

    /// The minimum width in characters.
    @discardableResult
    public func characters(minimum: Int) -> Self {
        gtk_editable_set_width_chars(cast(), gint(clamping: minimum))
        return self
    }
}

/// A single-line text field.
public final class Entry: Widget, TextField {
    public init(placeholder: String? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_entry_new()))
        gtk_entry_set_placeholder_text(cast(), placeholder)
    }

    /// Calls `body` when Return was pressed.
    public func onActivate(_ body: @escaping () -> Void) { on("activate", body) }

    public func isWrong(_ isWrong: Bool) { css("error", isWrong) }
}

/// A search field; it reports a change shortly after the last key press.
public final class SearchEntry: Widget, TextField {
    public init(placeholder: String? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_search_entry_new()))
        set("placeholder-text", placeholder)
    }

    /// Who is told of the text, and which text they were told last.
    private final class Listeners {
        private var text = ""
        var bodies: [(String) -> Void] = []

        func hear(_ text: String) {
            self.text = text
            for body in bodies { body(text) }
        }

        func hearNew(_ text: String) { if text != self.text { hear(text) } }
    }
    private let listeners = Listeners()

    /// Calls `body` with the text a moment after it has changed, and at once when Return is pressed before that.
    public func onSearch(_ body: @escaping (String) -> Void) {
        if listeners.bodies.isEmpty {
            on("search-changed", reading: Self.text(of:)) { [listeners] in listeners.hear($0) }
        }
        listeners.bodies.append(body)
    }

    /// Calls `body` when Return was pressed, after ``onSearch(_:)`` has reported the text.
    public func onActivate(_ body: @escaping () -> Void) {
        on("activate", reading: Self.text(of:)) { [listeners] text in
            listeners.hearNew(text)
            body()
        }
    }

    private static func text(of entry: Emitter) -> String { String(cString: gtk_editable_get_text(entry.cast())) }

    /// Called for Ctrl+G and Ctrl+Shift+G.
    public func onNext(_ body: @escaping () -> Void) { on("next-match", body) }
    public func onPrevious(_ body: @escaping () -> Void) { on("previous-match", body) }
    /// Called when Escape was pressed.
    public func onStop(_ body: @escaping () -> Void) { on("stop-search", body) }

    /// Key presses in another widget that produce text go to this field.
    public func captureKeys(of other: Widget) { gtk_search_entry_set_key_capture_widget(cast(), other.widget) }
}

/// A bar for a search field, visible during a search.
public final class SearchBar: Widget {
    /// - Parameter content: the content of the bar, including the entry; by default only the entry.
    public init(_ entry: SearchEntry, _ content: Widget? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_search_bar_new()))
        gtk_search_bar_set_child(cast(), (content ?? entry).widget)
        gtk_search_bar_connect_entry(cast(), entry.cast())
    }

    public var isOpen: Bool {
        get { gtk_search_bar_get_search_mode(cast()).isTrue }
        set { gtk_search_bar_set_search_mode(cast(), newValue.gboolean) }
    }

    public func onOpen(_ body: @escaping (Bool) -> Void) {
        on("notify::search-mode-enabled", reading: { gtk_search_bar_get_search_mode($0.cast()).isTrue }, body)
    }
}
