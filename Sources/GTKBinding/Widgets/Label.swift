internal import CGTK

/// Static text. Longer texts are truncated, see ``Label/text``.
public final class Label: Widget {
    public init(_ text: String = "") {
        super.init(adopting: UnsafeMutableRawPointer(gtk_label_new(ShownText.bounded(text))))
    }

    /// The displayed text, truncated to 4,096 bytes.
    public var text: String {
        get { String(cString: gtk_label_get_text(cast())) }
        set { gtk_label_set_text(cast(), ShownText.bounded(newValue)) }
    }

    /// The text with its markup.
    public var markup: String { String(cString: gtk_label_get_label(cast())) }

    /// Shows text with Pango markup. Text from outside must be escaped with ``Markup/escape(_:)``.
    public func show(markup: String) { gtk_label_set_markup(cast(), markup) }

    /// Wraps lines between words, and inside a word that is longer than a line. No hyphen is inserted, because in an
    /// address it would be read as a part of it.
    @discardableResult
    public func wrap(maximumCharacters: Int = -1) -> Self {
        gtk_label_set_wrap(cast(), 1)
        gtk_label_set_wrap_mode(cast(), .wordChar)
        gtk_label_set_natural_wrap_mode(cast(), .word)
        gtk_label_set_max_width_chars(cast(), gint(clamping: maximumCharacters))
        let attributes = pango_attr_list_new()
        pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
        gtk_label_set_attributes(cast(), attributes)
        pango_attr_list_unref(attributes)
        return self
    }

    /// Gives a label of libadwaita as many lines as it needs, where it would truncate its text. Words are not divided: most choices are
    /// one short word, and the subtitle beside them can wrap instead.
    static func wrapWhole(_ label: OpaquePointer) {
        gtk_label_set_ellipsize(label, .none)
        gtk_label_set_lines(label, -1)
        gtk_label_set_wrap(label, 1)
        gtk_label_set_wrap_mode(label, .word)
    }

    /// Truncates text that does not fit, with an ellipsis at the end or in the middle.
    @discardableResult
    public func ellipsize(inMiddle: Bool = false) -> Self {
        gtk_label_set_ellipsize(cast(), inMiddle ? .middle : .end)
        return self
    }

    /// The maximum number of lines of text that is wrapped and truncated.
    @discardableResult
    public func lines(_ count: Int) -> Self {
        gtk_label_set_lines(cast(), gint(clamping: count))
        return self
    }

    /// The minimum and maximum width, in average characters.
    @discardableResult
    public func characters(minimum: Int = -1, maximum: Int = -1) -> Self {
        gtk_label_set_width_chars(cast(), gint(clamping: minimum))
        gtk_label_set_max_width_chars(cast(), gint(clamping: maximum))
        return self
    }

    /// The horizontal position of the text in the label: 0 is the start, 1 the end.
    @discardableResult
    public func textAlignment(_ place: Float) -> Self {
        gtk_label_set_xalign(cast(), place)
        return self
    }

    /// The alignment of the lines.
    @discardableResult
    public func centered() -> Self {
        gtk_label_set_justify(cast(), .center)
        return self
    }

    /// The place of the last line as it is drawn, in pixels; `nil` before the first layout.
    public var lastLine: (x: Double, y: Double, width: Double, height: Double)? {
        guard width > 0, let layout = gtk_label_get_layout(cast()), let lines = pango_layout_get_iter(layout) else {
            return nil
        }
        defer { pango_layout_iter_free(lines) }
        var line = PangoRectangle()
        repeat { pango_layout_iter_get_line_extents(lines, nil, &line) } while pango_layout_iter_next_line(lines).isTrue
        pango_extents_to_pixels(&line, nil)
        var (x, y): (gint, gint) = (0, 0)
        gtk_label_get_layout_offsets(cast(), &x, &y)
        return (Double(line.x + x), Double(line.y + y), Double(line.width), Double(line.height))
    }

    @discardableResult
    public func selectable(_ isSelectable: Bool = true) -> Self {
        gtk_label_set_selectable(cast(), isSelectable.gboolean)
        return self
    }

    /// Whether a part of a selectable text is selected.
    public var hasSelection: Bool { gtk_label_get_selection_bounds(cast(), nil, nil).isTrue }

    /// Selects nothing of a selectable text.
    public func deselect() { gtk_label_select_region(cast(), 0, 0) }

    /// Calls `body` with the URI of a clicked link; if the result is `false`, the desktop opens it.
    public func onLink(_ body: @escaping (String) -> Bool) {
        connect("activate-link") { call in call.answer(call.string(1).map(body) ?? false) }
    }
}

/// Pango markup: text with tags such as `<b>` and `<a href="…">`.
public enum Markup {
    /// The text escaped for markup and for attribute values. Characters that markup cannot contain become visible
    /// marks, as do those that override the text direction.
    public nonisolated static func escape(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            // Control characters, and NUL, which would end the text.
            case "\0"..." ": escaped.unicodeScalars.append(scalar == " " ? " " : "\u{FFFD}")
            case _ where scalar.overridesDirection: escaped.unicodeScalars.append("\u{FFFD}")
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// Keys as printed on a keyboard.
public final class ShortcutLabel: Widget {
    /// - Parameter keys: as in ``Application/setShortcuts(_:for:)``.
    public init(_ keys: String) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_shortcut_label_new(keys)))
        // GTK shows the name of the key as programs write it, "Page_Down": it looks for the translation among those of
        // the program, not among its own.
        forEachLabel { _, label in
            let name = String(cString: gtk_label_get_text(label))
            gtk_label_set_text(label, name.split(separator: "_").joined(separator: " "))
        }
    }

    /// The same as text, for example `Ctrl+Page Down`; `nil` if the keys are invalid.
    public static func text(_ keys: String) -> String? {
        var (key, modifiers): (guint, GdkModifierType) = (0, [])
        guard gtk_accelerator_parse(keys, &key, &modifiers).isTrue else { return nil }
        let words: UnsafeMutablePointer<CChar>? = gtk_accelerator_get_label(key, modifiers)
        defer { g_free(words) }
        return words.map { String(cString: $0) }
    }
}

extension Widget {
    /// Inserts no hyphen where a line of one of its labels ends within a word: in an address it would be read as a part of it.
    func breaksWordsWithoutHyphens() {
        forEachLabel { _, label in
            let attributes =
                gtk_label_get_attributes(label).flatMap { pango_attr_list_copy($0) } ?? pango_attr_list_new()
            pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
            gtk_label_set_attributes(label, attributes)
            pango_attr_list_unref(attributes)
        }
    }

    /// Calls `body` with each label in it, at any depth.
    func forEachLabel(_ body: (_ widget: UnsafeMutablePointer<GtkWidget>, _ label: OpaquePointer) -> Void) {
        func visit(_ widget: UnsafeMutablePointer<GtkWidget>) {
            let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
            if g_type_check_instance_is_a(instance, gtk_label_get_type()).isTrue { body(widget, OpaquePointer(widget)) }
            var child = gtk_widget_get_first_child(widget)
            while let next = child {
                visit(next)
                child = gtk_widget_get_next_sibling(next)
            }
        }
        visit(widget)
    }
}

/// The text that a widget shows of untrusted input: a name, a status, a subject, a reason.
///
/// Pango's time grows with the square of the length between two possible line breaks, and a text may be a megabyte.
/// Views with long texts, such as messages, split them first and use markup or a ``TextView``.
enum ShownText {
    /// In bytes of UTF-8; the longest texts of the program have about 500.
    nonisolated static let limit = 4_096
    /// The same for a name that precedes a text: with two of them the text is still whole.
    nonisolated static let nameLimit = 1_500

    /// The start of a longer text; characters that override the text direction become visible marks.
    nonisolated static func bounded(_ text: String) -> String { bounded(text, to: limit) }

    /// The same with another limit, in bytes.
    nonisolated static func bounded(_ text: String, to limit: Int) -> String {
        let isLong = text.utf8.count > limit
        guard isLong || text.utf8.contains(0xE2) else { return text }
        var shown = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= limit else {
                shown.append("…")
                break
            }
            shown.append(scalar.overridesDirection ? "\u{FFFD}" : scalar)
        }
        return String(shown)
    }
}

extension Unicode.Scalar {
    /// Whether it displays letters in another order than that of their script (Unicode Standard Annex 9 §2.2). No
    /// language needs this, and it makes `gpj.exe` look like `exe.jpg`.
    nonisolated var overridesDirection: Bool { value == 0x202D || value == 0x202E }
}
