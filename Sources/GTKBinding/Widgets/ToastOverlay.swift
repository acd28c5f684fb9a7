internal import CGTK

/// A short message that is shown for a moment at the bottom of a window, in several lines where that is narrow.
public final class Toast: Object {
    public init(_ title: String, seconds: Int = 5, button: String? = nil, _ body: (() -> Void)? = nil) {
        super.init(adopting: UnsafeMutableRawPointer(adw_toast_new(Markup.escape(ShownText.bounded(title)))))
        let text = PopoverBin(Label(title).wrap().textAlignment(0).css("heading"))
        withExtendedLifetime(text) { adw_toast_set_custom_title(cast(), text.widget) }
        adw_toast_set_timeout(cast(), guint(max(0, seconds)))
        adw_toast_set_button_label(cast(), button)
        if let body { on("button-clicked", body) }
    }

    /// Removes it before its time.
    public func dismiss() { adw_toast_dismiss(cast()) }

    /// Retained for a new owner.
    func handedOver() -> OpaquePointer {
        g_object_ref(raw)
        return cast()
    }
}

/// The area in which toasts are shown.
public final class ToastOverlay: Widget {
    public init(_ child: Widget) {
        super.init(adopting: UnsafeMutableRawPointer(adw_toast_overlay_new()))
        adw_toast_overlay_set_child(cast(), child.widget)
    }

    public func show(_ toast: Toast) { adw_toast_overlay_add_toast(cast(), toast.handedOver()) }
    public func show(_ text: String) { show(Toast(text)) }
}
