internal import CGTK

/// The clipboard.
public enum Clipboard {
    private static var clipboard: OpaquePointer? {
        gdk_display_get_default().map { gdk_display_get_clipboard($0) }
    }

    public static func copy(_ text: String) {
        if let clipboard { gdk_clipboard_set_text(clipboard, text) }
    }

    public static func copy(_ texture: Texture) {
        if let clipboard { gdk_clipboard_set_texture(clipboard, texture.cast()) }
    }

    /// Whether there is a picture to paste and no text.
    public static var hasPictureOnly: Bool {
        guard let clipboard else { return false }
        let formats = gdk_clipboard_get_formats(clipboard)
        return gdk_content_formats_contain_gtype(formats, gdk_texture_get_type()).isTrue
            && !gdk_content_formats_contain_gtype(formats, FundamentalType.string).isTrue
    }

    /// Whether there are files to paste, copied in the file manager.
    public static var hasFiles: Bool {
        guard let clipboard else { return false }
        return gdk_content_formats_contain_gtype(gdk_clipboard_get_formats(clipboard), gdk_file_list_get_type()).isTrue
    }

    public static func text() async throws(GTKError) -> String {
        guard let clipboard else { return "" }
        return try await AsyncResult.wait(
            start: { callback, data in gdk_clipboard_read_text_async(clipboard, nil, callback, data) },
            finish: { result, error in
                guard let text = gdk_clipboard_read_text_finish(clipboard, result, &error) else { return "" }
                defer { g_free(text) }
                return String(cString: text)
            })
    }

    /// The bytes of a copied picture file; `nil` if there is none.
    public static func picture() async throws(GTKError) -> [UInt8]? {
        guard let clipboard else { return nil }
        let stream: Object? = try await AsyncResult.wait(
            start: { callback, data in
                PictureTransfer.withTypes {
                    gdk_clipboard_read_async(clipboard, $0, G_PRIORITY_DEFAULT, nil, callback, data)
                }
            },
            finish: { result, error in
                gdk_clipboard_read_finish(clipboard, result, nil, &error).map { Object(adopting: $0) }
            })
        return try await PictureTransfer.bytes(of: stream)
    }

    /// The paths of copied files.
    public static func files() async throws(GTKError) -> [String] {
        guard let clipboard else { return [] }
        return try await AsyncResult.wait(
            start: { callback, data in
                gdk_clipboard_read_value_async(clipboard, gdk_file_list_get_type(), 0, nil, callback, data)
            },
            finish: { result, error in
                guard let value = gdk_clipboard_read_value_finish(clipboard, result, &error) else { return [] }
                return FileList.paths(value)
            })
    }
}

/// A list of files as it is copied and dropped.
enum FileList {
    static func paths(_ value: UnsafePointer<GValue>) -> [String] {
        guard let list = g_value_get_boxed(value) else { return [] }
        var paths: [String] = []
        let files = gdk_file_list_get_files(OpaquePointer(list))
        var next = files
        while let entry = next {
            if let file = entry.pointee.data, let path = g_file_get_path(OpaquePointer(file)) {
                paths.append(String(cString: path))
                g_free(path)
            }
            next = entry.pointee.next
        }
        g_slist_free(files)
        return paths
    }
}

/// Pictures of other programs, pasted or dropped. They are read as the bytes of a file, because GTK would decode them
/// on the main thread.
enum PictureTransfer {
    /// The types of pictures that other programs offer and ``Texture/decoded(_:)`` reads, the best first.
    static let types = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/tiff", "image/bmp"]

    /// Calls C with ``types`` as an array of C strings that ends with a null pointer.
    static func withTypes(_ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Void) {
        let copies = types.map { g_strdup($0) }
        defer { for copy in copies { g_free(copy) } }
        var strings = copies.map { UnsafePointer($0) } + [nil]
        strings.withUnsafeMutableBufferPointer { if let first = $0.baseAddress { body(first) } }
    }

    /// Reads all of a stream, and closes it.
    ///
    /// - Parameter stream: `nil` if there is no data.
    static func bytes(of stream: Object?) async throws(GTKError) -> [UInt8]? {
        guard let input = stream else { return nil }
        let output = Object(adopting: g_memory_output_stream_new_resizable())
        let closing: GOutputStreamSpliceFlags = [.closeSource, .closeTarget]
        let isRead: Bool = try await AsyncResult.wait(
            start: { callback, data in
                g_output_stream_splice_async(
                    output.cast(), input.cast(), closing, G_PRIORITY_DEFAULT, nil, callback, data)
            },
            finish: { result, error in g_output_stream_splice_finish(output.cast(), result, &error) >= 0 })
        guard isRead else { return nil }
        let bytes = g_memory_output_stream_steal_as_bytes(output.cast())
        defer { g_bytes_unref(bytes) }
        var size: gsize = 0
        guard let data = g_bytes_get_data(bytes, &size), size > 0 else { return nil }
        return Array(UnsafeRawBufferPointer(start: data, count: Int(size)))
    }
}
