internal import CGTK

/// A picture as notifications carry it.
enum NotificationPicture {
    /// More is not seen in a notification, and would have to go over the bus.
    private static let size: gint = 128

    /// Width, height, stride, opacity, bits of a colour, colours and the pixels; `nil` for what is no picture.
    static func variant(of encoded: [UInt8]) -> Variant? {
        let bytes = encoded.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(bytes) }
        let input = Object(adopting: g_memory_input_stream_new_from_bytes(bytes))
        let picture = input.use { _ -> OpaquePointer? in
            gdk_pixbuf_new_from_stream_at_scale(input.cast(), size, size, true.gboolean, nil, nil)
        }
        guard let picture else { return nil }
        return Object(adopting: picture).use { picture in
            let (width, height) = (gdk_pixbuf_get_width(picture), gdk_pixbuf_get_height(picture))
            let (stride, colours) = (gdk_pixbuf_get_rowstride(picture), gdk_pixbuf_get_n_channels(picture))
            guard let pixels = gdk_pixbuf_read_pixels(picture) else { return nil }
            let count = Int(gdk_pixbuf_get_byte_length(picture))
            return Variant(tuple: [
                Variant(Int32(width)), Variant(Int32(height)), Variant(Int32(stride)),
                Variant(gdk_pixbuf_get_has_alpha(picture).isTrue),
                Variant(Int32(gdk_pixbuf_get_bits_per_sample(picture))), Variant(Int32(colours)),
                Variant(bytes: Array(UnsafeBufferPointer(start: pixels, count: count))),
            ])
        }
    }
}
