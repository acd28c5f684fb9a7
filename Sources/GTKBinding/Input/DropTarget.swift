internal import CGTK

/// The data that was dropped on a widget.
public enum Dropped {
    /// Paths of files.
    case files([String])
    /// The bytes of a picture that is in no file of this computer, for example from a browser.
    case picture([UInt8])
    case text(String)
}

extension Widget {
    /// Takes what is dropped here; the answer `false` refuses it.
    ///
    /// - Parameter hovers: something that could be dropped comes over the widget, or goes.
    public func onDrop(hovers: @escaping (Bool) -> Void = { _ in }, _ body: @escaping (Dropped) -> Bool) {
        let target = gtk_drop_target_async_new(DropContent.formats(), [.copy])
        let controller = Object(borrowing: UnsafeMutableRawPointer(target))
        controller.connect("drag-enter") { call in
            hovers(true)
            call.answer(flags: GdkDragAction.copy.rawValue)
        }
        controller.on("drag-leave") { hovers(false) }
        controller.connect("drop") { call in
            hovers(false)
            guard let drop = call.object(1).map({ DropContent(Object(borrowing: $0)) }) else {
                return call.answer(false)
            }
            call.answer(true)
            Task {
                let dropped = (try? await drop.read()) ?? nil
                drop.finish(isTaken: dropped.map(body) ?? false)
            }
        }
        gtk_widget_add_controller(widget, target)
    }
}

/// What is being dropped. It is read without decoding a picture.
private struct DropContent {
    private let drop: Object

    init(_ drop: Object) { self.drop = drop }

    /// What can be taken, as programs offer it; the caller owns it.
    static func formats() -> OpaquePointer {
        let builder = gdk_content_formats_builder_new()
        for type in [gdk_file_list_get_type(), FundamentalType.string] {
            gdk_content_formats_builder_add_gtype(builder, type)
        }
        for type in PictureTransfer.types { gdk_content_formats_builder_add_mime_type(builder, type) }
        // Values inside of this program, and the names under which others offer them.
        return gdk_content_formats_union_deserialize_mime_types(gdk_content_formats_builder_free_to_formats(builder))
    }

    /// Files before a picture, and a picture before text: a browser offers the address of a picture, too.
    func read() async throws(GTKError) -> Dropped? {
        if holds(gdk_file_list_get_type()) {
            let paths = try await value(of: gdk_file_list_get_type()) { FileList.paths($0) }
            if let paths, !paths.isEmpty { return .files(paths) }
        }
        if holdsPicture, let bytes = try await PictureTransfer.bytes(of: try await stream()) { return .picture(bytes) }
        guard holds(FundamentalType.string) else { return nil }
        let text = try await value(of: FundamentalType.string) { g_value_get_string($0).map { String(cString: $0) } }
        return text.flatMap { $0 }.map { .text($0) }
    }

    func finish(isTaken: Bool) { gdk_drop_finish(drop.cast(), isTaken ? [.copy] : []) }

    private var holdsPicture: Bool {
        let formats = gdk_drop_get_formats(drop.cast())
        return PictureTransfer.types.contains { gdk_content_formats_contain_mime_type(formats, $0).isTrue }
    }

    private func holds(_ type: GType) -> Bool {
        let all = gdk_content_formats_union_deserialize_gtypes(
            gdk_content_formats_ref(gdk_drop_get_formats(drop.cast())))
        defer { gdk_content_formats_unref(all) }
        return gdk_content_formats_contain_gtype(all, type).isTrue
    }

    private func value<Value: Sendable>(
        of type: GType, _ read: @escaping (UnsafePointer<GValue>) -> Value
    ) async throws(GTKError) -> Value? {
        try await AsyncResult.wait(
            start: { callback, data in
                gdk_drop_read_value_async(drop.cast(), type, G_PRIORITY_DEFAULT, nil, callback, data)
            },
            finish: { result, error in gdk_drop_read_value_finish(drop.cast(), result, &error).map(read) })
    }

    private func stream() async throws(GTKError) -> Object? {
        try await AsyncResult.wait(
            start: { callback, data in
                PictureTransfer.withTypes {
                    gdk_drop_read_async(drop.cast(), $0, G_PRIORITY_DEFAULT, nil, callback, data)
                }
            },
            finish: { result, error in
                gdk_drop_read_finish(drop.cast(), result, nil, &error).map { Object(adopting: $0) }
            })
    }
}
