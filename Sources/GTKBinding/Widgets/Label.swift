internal import CGTK

/// Text that is read: names and sentences. Of a longer one the beginning is shown, see ``Label/text``.
public final class Label: Widget {
    public init(_ text: String = "") {
        super.init(adopting: UnsafeMutableRawPointer(gtk_label_new(ShownText.bounded(text))))
    }

    /// What is shown; of more than 4,096 octets the beginning.
    public var text: String {
        get { String(cString: gtk_label_get_text(cast())) }
        set { gtk_label_set_text(cast(), ShownText.bounded(newValue)) }
    }

    /// The text with its markup.
    public var markup: String { String(cString: gtk_label_get_label(cast())) }

    /// Shows text with Pango's markup. Whatever comes from outside goes through ``Markup/escape(_:)`` first.
    public func show(markup: String) { gtk_label_set_markup(cast(), markup) }

    /// Breaks lines between words, and inside of one that is longer than a line. Nothing is put where a word is broken: a hyphen in
    /// an address would be read as a part of it.
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

    /// Cuts what does not fit, with an ellipsis at the end or in the middle.
    @discardableResult
    public func ellipsize(inMiddle: Bool = false) -> Self {
        gtk_label_set_ellipsize(cast(), inMiddle ? .middle : .end)
        return self
    }

    /// At most so many lines of text that is wrapped and cut.
    @discardableResult
    public func lines(_ count: Int) -> Self {
        gtk_label_set_lines(cast(), gint(clamping: count))
        return self
    }

    /// How wide it is at least and at most, in characters of middle width.
    @discardableResult
    public func characters(minimum: Int = -1, maximum: Int = -1) -> Self {
        gtk_label_set_width_chars(cast(), gint(clamping: minimum))
        gtk_label_set_max_width_chars(cast(), gint(clamping: maximum))
        return self
    }

    /// Where the text stands in the label: 0 is its beginning, 1 its end.
    @discardableResult
    public func textAlignment(_ place: Float) -> Self {
        gtk_label_set_xalign(cast(), place)
        return self
    }

    /// How the lines stand to each other.
    @discardableResult
    public func centered() -> Self {
        gtk_label_set_justify(cast(), .center)
        return self
    }

    @discardableResult
    public func selectable(_ isSelectable: Bool = true) -> Self {
        gtk_label_set_selectable(cast(), isSelectable.gboolean)
        return self
    }

    /// Calls `body` with the address of a link that is clicked; the desktop opens it where the answer is `false`.
    public func onLink(_ body: @escaping (String) -> Bool) {
        connect("activate-link") { call in call.answer(call.string(1).map(body) ?? false) }
    }
}

/// Pango's markup: text with tags such as `<b>` and `<a href="…">`.
public enum Markup {
    /// Text that stands for itself in markup and in the values of attributes. What no markup can contain is a visible mark, and so is
    /// what overrides the order of letters.
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
            // Control characters, and NUL that would end the text.
            case "\0"..." ": escaped.unicodeScalars.append(scalar == " " ? " " : "\u{FFFD}")
            case _ where scalar.overridesDirection: escaped.unicodeScalars.append("\u{FFFD}")
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// Keys as they stand on a keyboard.
public final class ShortcutLabel: Widget {
    /// - Parameter keys: as in ``Application/setShortcuts(_:for:)``.
    public init(_ keys: String) {
        super.init(adopting: UnsafeMutableRawPointer(gtk_shortcut_label_new(keys)))
    }

    /// The same in words, for example `Ctrl+Page Down`; nothing where they are no keys.
    public static func words(_ keys: String) -> String? {
        var (key, modifiers): (guint, GdkModifierType) = (0, [])
        guard gtk_accelerator_parse(keys, &key, &modifiers).isTrue else { return nil }
        let words: UnsafeMutablePointer<CChar>? = gtk_accelerator_get_label(key, modifiers)
        defer { g_free(words) }
        return words.map { String(cString: $0) }
    }
}

/// What a widget shows of a text that anybody may have written: a name, a status, a subject, a reason.
///
/// Pango needs time for the square of what stands between two places where a line may end, and a text may be a megabyte. Whoever shows
/// long texts, as messages are, divides them first and uses markup or a ``TextView``.
enum ShownText {
    /// In octets of UTF-8; the longest sentences of the program have some 500.
    nonisolated static let limit = 4_096

    /// The beginning of a longer text; what overrides the order of letters is a visible mark.
    nonisolated static func bounded(_ text: String) -> String {
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
    /// It shows letters in another order than that of their script (Unicode Standard Annex 9 §2.2): no language needs it, and
    /// `gpj.exe` can look like `exe.jpg` with it.
    nonisolated var overridesDirection: Bool { value == 0x202D || value == 0x202E }
}
