internal import CGTK

/// A window of the program.
public class Window: Widget {
    /// A window with its own header bar.
    public init(
        _ title: String, width: Int = -1, height: Int = -1, over parent: Window? = nil, _ content: Widget? = nil
    ) {
        super.init(borrowing: UnsafeMutableRawPointer(adw_window_new()))
        self.title = title
        setDefaultSize(width: width, height: height)
        if let content { show(content) }
        isTransient(for: parent)
    }

    // GTK owns windows: their constructors return no reference.
    init(toplevel: UnsafeMutableRawPointer) { super.init(borrowing: toplevel) }

    var window: UnsafeMutablePointer<GtkWindow> { cast() }

    public var title: String {
        get { gtk_window_get_title(cast()).map { String(cString: $0) } ?? "" }
        set { gtk_window_set_title(cast(), ShownText.bounded(newValue)) }
    }

    public func show(_ content: Widget) { adw_window_set_content(cast(), content.widget) }

    public func setDefaultSize(width: Int, height: Int) {
        gtk_window_set_default_size(cast(), gint(clamping: width), gint(clamping: height))
    }

    /// The size that it has, or will have when it is no longer maximized.
    package var defaultSize: (width: Int, height: Int) {
        var (width, height): (gint, gint) = (0, 0)
        gtk_window_get_default_size(cast(), &width, &height)
        return (Int(width), Int(height))
    }

    public func maximize() { gtk_window_maximize(cast()) }
    public var isMaximized: Bool { gtk_window_is_maximized(cast()).isTrue }

    /// Whether it has the focus of the desktop.
    public var isActive: Bool { gtk_window_is_active(cast()).isTrue }
    public func onActive(_ body: @escaping (Bool) -> Void) {
        on("notify::is-active", reading: { gtk_window_is_active($0.cast()).isTrue }, body)
    }

    /// Shows it in front of the others.
    public func present() { gtk_window_present(cast()) }
    /// Closes it like the user does: ``onCloseRequest(_:)`` may prevent it.
    public func close() { gtk_window_close(cast()) }
    /// Closes it unconditionally.
    public func destroy() { gtk_window_destroy(cast()) }

    /// Calls `body` before it is closed; the result `true` prevents it.
    public func onCloseRequest(_ body: @escaping () -> Bool) {
        connect("close-request") { call in call.answer(body()) }
    }

    /// Retains the view that this window shows until the window is destroyed. Its handlers can then hold it weakly, as
    /// all do.
    public func retain(_ view: AnyObject) {
        var kept: AnyObject? = view
        // A destroyed window disappears from the screen at once, and is disposed of with the last reference to it: the
        // view's.
        let release = {
            guard let view = kept else { return }
            kept = nil
            MainLoop.schedule(.idle) { withExtendedLifetime(view) {} }
        }
        on("unrealize", release)
        on("destroy", release)
    }

    /// It stays on top of another window and closes with it.
    public func isTransient(for parent: Window?) {
        guard let parent else { return }
        gtk_window_set_transient_for(cast(), parent.cast())
        gtk_window_set_destroy_with_parent(cast(), 1)
        // GTK releases the parent only when this is disposed of, which may be after the parent.
        connect("unrealize") { call in
            if let window = call.emitter { gtk_window_set_transient_for(window.cast(), nil) }
        }
    }

    public func isModal(_ isModal: Bool) { gtk_window_set_modal(cast(), isModal.gboolean) }

    /// The button that Return in a field activates.
    public func setDefault(_ button: Button?) { gtk_window_set_default_widget(cast(), button?.widget) }

    /// Makes Escape close it.
    public func closesOnEscape() {
        onKey(.bubble) { window, key in
            guard key.key == .escape else { return false }
            gtk_window_close(window.cast())
            return true
        }
    }

    /// A picture of its current state, for tests and screenshots.
    ///
    /// - Parameter popover: an open popover, which is a separate surface.
    public func render(with popover: Popover? = nil) -> Texture? {
        guard width > 0, height > 0 else { return nil }
        // It begins outside of the content, with a border if the display has no transparency.
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(widget, widget, &bounds).isTrue else { return nil }
        let snapshot = gtk_snapshot_new()
        let paintable = Object(adopting: gtk_widget_paintable_new(widget))
        gtk_snapshot_save(snapshot)
        gtk_snapshot_translate(snapshot, &bounds.origin)
        paintable.use {
            gdk_paintable_snapshot($0, snapshot, Double(bounds.size.width), Double(bounds.size.height))
        }
        gtk_snapshot_restore(snapshot)
        if let popover, popover.isMapped, let surface = gtk_native_get_surface(popover.cast()) {
            // A popup is positioned in the surface of its parent, which begins at the outer edge of the window's
            // shadow.
            var (left, top, x, y) = (0.0, 0.0, 0.0, 0.0)
            gtk_native_get_surface_transform(cast(), &left, &top)
            gtk_native_get_surface_transform(popover.cast(), &x, &y)
            var place = graphene_point_t(
                x: Float(Double(gdk_popup_get_position_x(surface)) - left + x),
                y: Float(Double(gdk_popup_get_position_y(surface)) - top + y))
            gtk_snapshot_translate(snapshot, &place)
            let paintable = Object(adopting: gtk_widget_paintable_new(popover.widget))
            paintable.use {
                gdk_paintable_snapshot($0, snapshot, Double(popover.width), Double(popover.height))
            }
        }
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        guard let renderer = gtk_native_get_renderer(cast()) else { return nil }
        var content = graphene_rect_t()
        content.size = graphene_size_t(width: Float(width), height: Float(height))
        return Texture(adopting: UnsafeMutableRawPointer(gsk_renderer_render_texture(renderer, node, &content)))
    }
}

/// A window that belongs to the application and can have actions.
public final class ApplicationWindow: Window {
    public init(_ application: Application, _ title: String) {
        super.init(toplevel: UnsafeMutableRawPointer(adw_application_window_new(application.cast())))
        self.title = title
    }

    public override func show(_ content: Widget) { adw_application_window_set_content(cast(), content.widget) }

    /// Adds an action of this window, `win.name`.
    public func add(_ action: Action) { g_action_map_add_action(cast(), action.cast()) }
}
