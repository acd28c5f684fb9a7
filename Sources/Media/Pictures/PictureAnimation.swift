import CGdkPixbuf

/// An animated GIF or WebP: its frames in order of time.
///
///     guard let animation = try await PictureAnimation.open(bytes, side: 640) else { return }   // not animated
///     let frame = try await animation.frame()                         // the current one
///
/// Frames are decoded one at a time, off the caller's thread and only on request: a picture that is not visible costs
/// nothing. The file determines how often it repeats.
///
/// `@unchecked Sendable`: the stored pointers never change, and what they point to is used only on one serial queue.
public final class PictureAnimation: @unchecked Sendable {
    /// One frame of the animation.
    public struct Frame: Sendable {
        /// Four bytes per pixel: red, green, blue and opacity, row by row without padding.
        public let pixels: [UInt8]
        public let width: Int
        public let height: Int
        /// The time until the next frame; `nil` for the last one.
        public let duration: Duration?
    }

    /// Larger pictures are not animated: decoding a frame would take longer than its duration.
    public static let maximumPixelCount = 4 << 20
    /// The minimum duration of a frame, in milliseconds, whatever the file says.
    static let shortestFrame = 20

    private let animation: OpaquePointer
    private let iterator: OpaquePointer
    private let side: Int

    private init(_ animation: OpaquePointer, _ iterator: OpaquePointer, side: Int) {
        self.animation = animation
        self.iterator = iterator
        self.side = side
    }

    deinit {
        nonisolated(unsafe) let (animation, iterator) = (animation, iterator)
        OffPool.pictures.submit {
            g_object_unref(UnsafeMutableRawPointer(iterator))
            g_object_unref(UnsafeMutableRawPointer(animation))
        }
    }

    /// Opens a picture; `nil` if it is not animated, or too large.
    ///
    /// - Parameter side: the maximum length of each side, in pixels; larger frames are scaled down.
    public static func open(_ bytes: [UInt8], side: Int) async throws(MediaError) -> PictureAnimation? {
        try await OffPool.pictures.run { _ throws(MediaError) in
            let contents = try PictureContents(bytes)
            let file = contents.file
            guard file.isAnimated, file.type == .gif || file.type == .webp, let clean = contents.stripped,
                file.width * file.height <= maximumPixelCount
            else { return nil }
            return try decode(clean, file.type, side: side)
        }
    }

    private static func decode(
        _ bytes: [UInt8], _ type: MediaType, side: Int
    ) throws(MediaError) -> PictureAnimation? {
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard let loader = gdk_pixbuf_loader_new_with_type(type.fileExtension, &error) else {
            throw PixelBuffer.missingLoader(type, error)
        }
        defer { g_object_unref(loader) }
        // A loader must be closed in either case; the first error is the one that counts.
        let isWritten = gdk_pixbuf_loader_write(loader, bytes, gsize(bytes.count), &error) != 0
        var second: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&second) }
        let isClosed = gdk_pixbuf_loader_close(loader, &second) != 0
        guard isWritten, isClosed, let animation = gdk_pixbuf_loader_get_animation(loader) else {
            throw MediaError(
                .corrupt, "The picture is damaged.", remedy: "Ask for it again.",
                cause: error.map { String(cString: $0.pointee.message) })
        }
        guard gdk_pixbuf_animation_is_static_image(animation) == 0,
            let iterator = gdk_pixbuf_animation_get_iter(animation, nil)
        else { return nil }
        g_object_ref(UnsafeMutableRawPointer(animation))
        return PictureAnimation(animation, iterator, side: max(1, side))
    }

    /// The current frame.
    public func frame() async throws(MediaError) -> Frame {
        try await OffPool.pictures.run { [self] _ throws(MediaError) in
            gdk_pixbuf_animation_iter_advance(iterator, nil)
            guard let picture = gdk_pixbuf_animation_iter_get_pixbuf(iterator) else {
                throw .corrupt("a frame is missing")
            }
            g_object_ref(UnsafeMutableRawPointer(picture))
            let buffer = try PixelBuffer(adopting: picture).scaled(toSide: side)
            let delay = Int(gdk_pixbuf_animation_iter_get_delay_time(iterator))
            return Frame(
                pixels: try buffer.pixels(), width: buffer.width, height: buffer.height,
                duration: delay < 0 ? nil : .milliseconds(max(Self.shortestFrame, delay)))
        }
    }
}
