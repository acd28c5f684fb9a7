internal import CGTK

/// A sentence that is shown for a moment at the lower edge of a window.
public final class Toast: Object {
    public init(_ title: String, seconds: Int = 5, button: String? = nil, _ body: (() -> Void)? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(adw_toast_new(Markup.escape(ShownText.bounded(title)))))
        adw_toast_set_timeout(cast(), guint(max(0, seconds)))
        adw_toast_set_button_label(cast(), button)
        if let body { on("button-clicked", body) }
    }

    /// With a reference for who takes it over.
    func handedOver() -> OpaquePointer {
        g_object_ref(raw)
        return cast()
    }
}

/// Where toasts are shown.
public final class ToastOverlay: Widget {
    public init(_ child: Widget) {
        super.init(adopting: UnsafeMutableRawPointer(adw_toast_overlay_new()))
        adw_toast_overlay_set_child(cast(), child.widget)
    }

    public func show(_ toast: Toast) { adw_toast_overlay_add_toast(cast(), toast.handedOver()) }
    public func show(_ text: String) { show(Toast(text)) }
}
