internal import CGTK

/// What was dropped on a widget.
public enum Dropped {
    /// Paths of files.
    case files([String])
    /// A picture that is in no file, for example from a browser.
    case picture(Texture)
    case text(String)
}

extension Widget {
    /// Takes what is dropped here; the answer `false` refuses it.
    ///
    /// - Parameter hovers: something that could be dropped comes over the widget, or goes.
    public func onDrop(hovers: @escaping (Bool) -> Void = { _ in }, _ body: @escaping (Dropped) -> Bool) {
        let target = gtk_drop_target_new(GType(0), [.copy])
        var types = [gdk_file_list_get_type(), gdk_texture_get_type(), FundamentalType.string]
        gtk_drop_target_set_gtypes(target, &types, gsize(types.count))
        let controller = Object(borrowing: UnsafeMutableRawPointer(target))
        controller.connect("drop") { call in
            guard let value = call.boxed(1)?.assumingMemoryBound(to: GValue.self) else { return call.answer(false) }
            hovers(false)
            call.answer(Self.dropped(value).map(body) ?? false)
        }
        controller.on(
            "notify::current-drop", reading: { gtk_drop_target_get_current_drop($0.cast()) != nil }, hovers)
        gtk_widget_add_controller(widget, target)
    }

    private static func dropped(_ value: UnsafePointer<GValue>) -> Dropped? {
        func holds(_ type: GType) -> Bool { g_type_is_a(value.pointee.g_type, type).isTrue }
        if holds(gdk_file_list_get_type()) {
            let paths = FileList.paths(value)
            return paths.isEmpty ? nil : .files(paths)
        }
        if holds(gdk_texture_get_type()) {
            return g_value_get_object(value).map { .picture(Texture(borrowing: $0)) }
        }
        if holds(FundamentalType.string) {
            return g_value_get_string(value).map { .text(String(cString: $0)) }
        }
        return nil
    }
}
