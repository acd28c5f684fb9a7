internal import CGTK

/// A picture that is ready to be painted.
public final class Texture: Object {
    /// The bytes of a PNG, JPEG or TIFF file, or of another type that GdkPixbuf reads.
    public convenience init(encoded: [UInt8]) throws(GTKError) {
        let bytes = encoded.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(bytes) }
        var error: UnsafeMutablePointer<GError>?
        guard let texture = gdk_texture_new_from_bytes(bytes, &error) else { throw GTKError(taking: error) }
        self.init(adopting: UnsafeMutableRawPointer(texture))
    }

    public convenience init(file: String) throws(GTKError) {
        var error: UnsafeMutablePointer<GError>?
        guard let texture = gdk_texture_new_from_filename(file, &error) else { throw GTKError(taking: error) }
        self.init(adopting: UnsafeMutableRawPointer(texture))
    }

    /// Pixels of four octets each: red, green, blue and opacity, not multiplied by it.
    ///
    /// - Parameter stride: octets from one line to the next.
    public convenience init?(pixels: [UInt8], width: Int, height: Int, stride: Int) {
        guard width > 0, height > 0, stride >= width * 4, pixels.count >= stride * (height - 1) + width * 4 else {
            return nil
        }
        let bytes = pixels.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(bytes) }
        self.init(
            adopting: UnsafeMutableRawPointer(
                gdk_memory_texture_new(gint(width), gint(height), .r8g8b8a8, bytes, gsize(stride))))
    }

    public var width: Int { Int(gdk_texture_get_width(cast())) }
    public var height: Int { Int(gdk_texture_get_height(cast())) }

    /// Writes it as PNG.
    @discardableResult
    public func save(to path: String) -> Bool { gdk_texture_save_to_png(cast(), path).isTrue }

    /// The bytes of a PNG file.
    public var png: [UInt8] {
        let bytes = gdk_texture_save_to_png_bytes(cast())
        defer { g_bytes_unref(bytes) }
        var size: gsize = 0
        guard let data = g_bytes_get_data(bytes, &size) else { return [] }
        return Array(UnsafeRawBufferPointer(start: data, count: Int(size)))
    }
}
