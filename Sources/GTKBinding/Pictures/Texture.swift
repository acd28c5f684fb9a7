internal import CGTK

/// A picture that is ready to be painted.
public final class Texture: Object {
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

    /// The bytes of a PNG file, made away from the main thread.
    public func png() async -> [UInt8] {
        g_object_ref(raw)
        return await Self.encode(Reference(raw: raw))
    }

    /// Reads a PNG, JPEG or TIFF file, or another type that GdkPixbuf reads, away from the main thread; `nil` where it cannot be read.
    public static func decoded(_ encoded: [UInt8]?) async -> Texture? {
        guard let encoded, let texture = try? await decode(encoded) else { return nil }
        return Texture(adopting: texture.raw)
    }

    /// One reference to a texture on its way between threads; the receiver owns it.
    // @unchecked: a GdkTexture never changes, GDK documents its decoding and encoding as safe on any thread, and reference
    // counts of GObject are atomic.
    nonisolated struct Reference: @unchecked Sendable {
        let raw: UnsafeMutableRawPointer
    }

    @concurrent
    private nonisolated static func decode(_ encoded: [UInt8]) async throws(GTKError) -> Reference {
        Reference(raw: try textureRead(from: encoded))
    }

    @concurrent
    private nonisolated static func encode(_ texture: Reference) async -> [UInt8] {
        defer { g_object_unref(texture.raw) }
        let bytes = gdk_texture_save_to_png_bytes(OpaquePointer(texture.raw))
        defer { g_bytes_unref(bytes) }
        var size: gsize = 0
        guard let data = g_bytes_get_data(bytes, &size) else { return [] }
        return Array(UnsafeRawBufferPointer(start: data, count: Int(size)))
    }
}

/// A new texture, which the caller owns.
private nonisolated func textureRead(from encoded: [UInt8]) throws(GTKError) -> UnsafeMutableRawPointer {
    let bytes = encoded.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    defer { g_bytes_unref(bytes) }
    var error: UnsafeMutablePointer<GError>?
    guard let texture = gdk_texture_new_from_bytes(bytes, &error) else { throw GTKError(taking: error) }
    return UnsafeMutableRawPointer(texture)
}
