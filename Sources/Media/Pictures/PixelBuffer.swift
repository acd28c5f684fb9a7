import CGdkPixbuf

/// A decoded picture in memory, by GdkPixbuf. It is never shared between threads.
struct PixelBuffer: ~Copyable {
    private let pixbuf: OpaquePointer

    init(adopting pixbuf: OpaquePointer) {
        self.pixbuf = pixbuf
    }

    /// A copy of a video frame.
    init(_ frame: VideoFrame) throws(MediaError) {
        let bytes = frame.pixels.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(bytes) }
        guard
            let pixbuf = gdk_pixbuf_new_from_bytes(
                bytes, GDK_COLORSPACE_RGB, 1, 8, Int32(clamping: frame.width), Int32(clamping: frame.height),
                Int32(clamping: frame.width * 4))
        else { throw MediaError(.failed, "There is not enough memory for the picture.") }
        self.init(adopting: pixbuf)
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(pixbuf))
    }

    var width: Int { Int(gdk_pixbuf_get_width(pixbuf)) }
    var height: Int { Int(gdk_pixbuf_get_height(pixbuf)) }
    var hasAlpha: Bool { gdk_pixbuf_get_has_alpha(pixbuf) != 0 }

    /// The colour profile in Base64, if the file has one.
    var colorProfile: String? {
        gdk_pixbuf_get_option(pixbuf, "icc-profile").map { String(cString: $0) }
    }

    /// Decodes a still picture whose header was checked, with the decoder of exactly that type.
    ///
    /// With `side`, the decoder scales the picture down while reading, so that neither side is longer.
    static func decode(_ bytes: [UInt8], type: MediaType, side: Int?) throws(MediaError) -> PixelBuffer {
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        let name = type == .jpeg ? "jpeg" : type.fileExtension
        guard let loader = gdk_pixbuf_loader_new_with_type(name, &error) else { throw missingLoader(type, error) }
        defer { g_object_unref(loader) }
        var target = Int32(clamping: side ?? 0)
        let isRead = withUnsafeMutablePointer(to: &target) { target in
            let prepared: @convention(c) (UnsafeMutablePointer<GdkPixbufLoader>, Int32, Int32, gpointer?) -> Void = {
                loader, width, height, context in
                guard let side = context?.load(as: Int32.self), side > 0, max(width, height) > side else { return }
                let size = PixelBuffer.fit(width: Int(width), height: Int(height), into: Int(side))
                gdk_pixbuf_loader_set_size(loader, Int32(size.width), Int32(size.height))
            }
            let handler = g_signal_connect_data(
                loader, "size-prepared", unsafeBitCast(prepared, to: GCallback.self), target, nil,
                GConnectFlags(rawValue: 0))
            defer { g_signal_handler_disconnect(loader, handler) }
            let isWritten = gdk_pixbuf_loader_write(loader, bytes, gsize(bytes.count), &error) != 0
            // A loader must be closed in either case; the first error is the one that counts.
            guard isWritten else {
                gdk_pixbuf_loader_close(loader, nil)
                return false
            }
            return gdk_pixbuf_loader_close(loader, &error) != 0
        }
        guard isRead, let pixbuf = gdk_pixbuf_loader_get_pixbuf(loader) else {
            throw MediaError(
                .corrupt, "The picture is damaged.", remedy: "Ask for it again.",
                cause: error.map { String(cString: $0.pointee.message) })
        }
        g_object_ref(UnsafeMutableRawPointer(pixbuf))
        return PixelBuffer(adopting: pixbuf)
    }

    /// The largest size with the same aspect ratio whose sides are at most `side`; never larger than the original.
    static func fit(width: Int, height: Int, into side: Int) -> (width: Int, height: Int) {
        let longer = max(width, height)
        guard longer > side else { return (width, height) }
        return (max(1, (width * side + longer / 2) / longer), max(1, (height * side + longer / 2) / longer))
    }

    /// The picture with its orientation applied.
    consuming func upright(_ orientation: PictureOrientation) throws(MediaError) -> PixelBuffer {
        switch orientation {
        case .upright: self
        case .mirrored: try derived(gdk_pixbuf_flip(pixbuf, 1))
        case .upsideDown: try derived(gdk_pixbuf_rotate_simple(pixbuf, GDK_PIXBUF_ROTATE_UPSIDEDOWN))
        case .mirroredUpsideDown: try derived(gdk_pixbuf_flip(pixbuf, 0))
        case .transposed:
            try derived(gdk_pixbuf_rotate_simple(pixbuf, GDK_PIXBUF_ROTATE_CLOCKWISE)).upright(.mirrored)
        case .turnRight: try derived(gdk_pixbuf_rotate_simple(pixbuf, GDK_PIXBUF_ROTATE_CLOCKWISE))
        case .transversed:
            try derived(gdk_pixbuf_rotate_simple(pixbuf, GDK_PIXBUF_ROTATE_COUNTERCLOCKWISE)).upright(.mirrored)
        case .turnLeft: try derived(gdk_pixbuf_rotate_simple(pixbuf, GDK_PIXBUF_ROTATE_COUNTERCLOCKWISE))
        }
    }

    private func derived(_ pixbuf: OpaquePointer?) throws(MediaError) -> PixelBuffer {
        guard let pixbuf else { throw MediaError(.failed, "There is not enough memory for the picture.") }
        return PixelBuffer(adopting: pixbuf)
    }

    static func missingLoader(_ type: MediaType, _ error: UnsafeMutablePointer<GError>?) -> MediaError {
        let package =
            switch type {
            case .webp: "webp-pixbuf-loader"
            default: "libgdk-pixbuf-2.0-0"
            }
        return .missingPackage(
            "The decoder for \(type)", package: package, cause: error.map { String(cString: $0.pointee.message) })
    }

    /// The picture scaled down until neither side is longer.
    consuming func scaled(toSide side: Int) throws(MediaError) -> PixelBuffer {
        guard max(width, height) > side else { return self }
        let size = Self.fit(width: width, height: height, into: side)
        return try derived(
            gdk_pixbuf_scale_simple(pixbuf, Int32(size.width), Int32(size.height), GDK_INTERP_BILINEAR))
    }

    /// Red, green, blue and opacity of each pixel, row by row without padding.
    func pixels() throws(MediaError) -> [UInt8] {
        if !hasAlpha { return try derived(gdk_pixbuf_add_alpha(pixbuf, 0, 0, 0, 0)).pixels() }
        guard let start = gdk_pixbuf_read_pixels(pixbuf) else {
            throw MediaError(.failed, "There is not enough memory for the picture.")
        }
        let (stride, line) = (Int(gdk_pixbuf_get_rowstride(pixbuf)), width * 4)
        return [UInt8](unsafeUninitializedCapacity: line * height) { buffer, count in
            for row in 0..<height {
                buffer.baseAddress?.advanced(by: row * line).initialize(from: start + row * stride, count: line)
            }
            count = line * height
        }
    }

    /// Whether any pixel is not fully opaque.
    var isTransparent: Bool {
        guard hasAlpha, let pixels = gdk_pixbuf_read_pixels(pixbuf) else { return false }
        let stride = Int(gdk_pixbuf_get_rowstride(pixbuf))
        for row in 0..<height {
            let start = pixels + row * stride
            for column in 0..<width where start[column * 4 + 3] != 0xFF { return true }
        }
        return false
    }

    /// The encoded file: `png`, or `jpeg` of the given quality.
    func encode(_ type: MediaType, quality: Int, profile: String?) throws(MediaError) -> [UInt8] {
        var options: [(String, String)] = type == .jpeg ? [("quality", String(quality))] : []
        if let profile { options.append(("icc-profile", profile)) }
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        var buffer: UnsafeMutablePointer<gchar>?
        var count: gsize = 0
        var keys: [UnsafeMutablePointer<CChar>?] = options.map { g_strdup($0.0) } + [nil]
        var values: [UnsafeMutablePointer<CChar>?] = options.map { g_strdup($0.1) } + [nil]
        defer { for text in keys + values { g_free(text) } }
        let isSaved = gdk_pixbuf_save_to_bufferv(
            pixbuf, &buffer, &count, type == .jpeg ? "jpeg" : "png", &keys, &values, &error)
        defer { g_free(buffer) }
        guard isSaved != 0, let buffer else {
            throw MediaError(
                .failed, "The picture cannot be written as \(type).",
                cause: error.map { String(cString: $0.pointee.message) })
        }
        return Array(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
    }
}
