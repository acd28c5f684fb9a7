internal import CGTK

/// A picture as notifications carry it: pixels.
nonisolated struct NotificationPicture: Sendable {
    private let width: Int32
    private let height: Int32
    private let stride: Int32
    private let isTransparent: Bool
    private let bits: Int32
    private let colours: Int32
    private let pixels: [UInt8]

    /// More is not seen in a notification, and would have to go over the bus.
    private static let size: gint = 128

    /// Decodes and scales it, away from the main thread; `nil` for what is no picture.
    @concurrent
    static func decoded(_ encoded: [UInt8]) async -> NotificationPicture? {
        let bytes = encoded.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(bytes) }
        let input = g_memory_input_stream_new_from_bytes(bytes)
        defer { g_object_unref(UnsafeMutableRawPointer(input)) }
        guard let picture = gdk_pixbuf_new_from_stream_at_scale(input, size, size, true.gboolean, nil, nil) else {
            return nil
        }
        defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
        guard let pixels = gdk_pixbuf_read_pixels(picture) else { return nil }
        return NotificationPicture(
            width: gdk_pixbuf_get_width(picture), height: gdk_pixbuf_get_height(picture),
            stride: gdk_pixbuf_get_rowstride(picture), isTransparent: gdk_pixbuf_get_has_alpha(picture).isTrue,
            bits: gdk_pixbuf_get_bits_per_sample(picture), colours: gdk_pixbuf_get_n_channels(picture),
            pixels: Array(UnsafeBufferPointer(start: pixels, count: Int(gdk_pixbuf_get_byte_length(picture)))))
    }

    /// Width, height, stride, opacity, bits of a colour, colours and the pixels.
    @MainActor
    var variant: Variant {
        Variant(tuple: [
            Variant(width), Variant(height), Variant(stride), Variant(isTransparent), Variant(bits), Variant(colours),
            Variant(bytes: pixels),
        ])
    }
}
