internal import CGTK

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
