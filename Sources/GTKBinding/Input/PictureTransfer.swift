internal import CGTK

/// Pictures that come from other programs, by the clipboard or dropped. They are taken as the bytes of a file: GTK would decode them on
/// the main thread.
enum PictureTransfer {
    /// Types that other programs offer and ``Texture/decoded(_:)`` reads, the best first.
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
    /// - Parameter stream: `nil` where there is nothing.
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
