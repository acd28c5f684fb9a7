/// A picture to send or to show: its bytes without metadata, and facts about them.
///
/// All work happens off the caller's thread, one picture at a time: decoded pictures are large, and many may arrive at
/// once.
public struct Picture: Sendable, Hashable {
    /// How much a picture is changed before it is sent.
    public enum Quality: Sendable, Hashable {
        /// The original picture without metadata: pixels and animation are unchanged.
        case original
        /// Scaled to ``Picture/standardSide`` and compressed, unless it is already smaller.
        case standard
        /// Scaled to ``Picture/smallSide`` and compressed more, for a slow or expensive connection.
        case small

        var side: Int { self == .small ? Picture.smallSide : Picture.standardSide }
        var jpegQuality: Int { self == .small ? Picture.smallJPEGQuality : Picture.jpegQuality }
    }

    /// The longest side of a picture of standard quality, in pixels: sharp on a desktop, about 300 kB.
    public static let standardSide = 2048
    /// The JPEG quality, of 100; above it, files grow faster than they improve.
    public static let jpegQuality = 82
    /// The longest side of a picture of small quality, in pixels: sharp on a phone, about 100 kB.
    public static let smallSide = 1280
    /// The JPEG quality of a small picture, of 100; below it, edges show artefacts.
    public static let smallJPEGQuality = 70
    /// The longest side below which a picture is not worth sending, in pixels.
    public static let tinySide = 96
    /// The JPEG quality when a damaged original has to be encoded again.
    static let rescueQuality = 95

    public let bytes: [UInt8]
    /// The facts about ``bytes``.
    public let file: PictureFile

    public var type: MediaType { file.type }
    public var width: Int { file.width }
    public var height: Int { file.height }

    /// Creates the bytes to send, without location, camera, comments and other metadata.
    ///
    /// Original quality removes the parts of the file that contain metadata. A JPEG that breaks the rules but can be
    /// read, and any BMP, is decoded and encoded again. Standard and small quality scale and compress; a picture with
    /// transparent parts becomes PNG, any other JPEG. Animations stay as in original quality, and so does a file that
    /// would only grow.
    public static func prepare(_ bytes: [UInt8], quality: Quality) async throws(MediaError) -> Picture {
        try await OffPool.pictures.run { cancellation throws(MediaError) in
            let contents = try PictureContents(bytes)
            try cancellation.check()
            if quality == .original || contents.file.isAnimated {
                if let stripped = contents.stripped { return try Picture(stripped) }
                return try written(contents, side: nil, quality: rescueQuality, type: losslessType(contents.file.type))
            }
            let picture = try written(contents, side: quality.side, quality: quality.jpegQuality, type: nil)
            if let stripped = contents.stripped, stripped.count <= picture.bytes.count,
                max(contents.file.width, contents.file.height) <= quality.side
            {
                return try Picture(stripped)
            }
            return picture
        }
    }

    /// Creates the bytes to send where a message has little space: the best quality with at most this many bytes. An animation
    /// that is larger becomes a still picture.
    ///
    /// - Throws: `tooLarge` if even a picture of ``tinySide`` has more bytes.
    public static func prepare(_ bytes: [UInt8], maximumByteCount: Int) async throws(MediaError) -> Picture {
        for quality in [Quality.original, .standard, .small] {
            let picture = try await prepare(bytes, quality: quality)
            if picture.bytes.count <= maximumByteCount { return picture }
        }
        return try await OffPool.pictures.run { cancellation throws(MediaError) in
            let contents = try PictureContents(bytes)
            var side = min(smallSide, max(contents.file.width, contents.file.height))
            while side >= tinySide {
                try cancellation.check()
                let picture = try written(contents, side: side, quality: smallJPEGQuality, type: nil)
                if picture.bytes.count <= maximumByteCount { return picture }
                side = side * 3 / 4
            }
            throw MediaError(.tooLarge, "The picture cannot be made small enough for a message.")
        }
    }

    /// A small still picture with sides of at most `side` pixels: JPEG, or PNG if parts are transparent.
    public static func thumbnail(of bytes: [UInt8], max side: Int) async throws(MediaError) -> Picture {
        try await OffPool.pictures.run { cancellation throws(MediaError) in
            let contents = try PictureContents(bytes)
            try cancellation.check()
            return try written(contents, side: max(1, side), quality: jpegQuality, type: nil)
        }
    }

    /// A small still picture of this one.
    public func thumbnail(max side: Int) async throws(MediaError) -> Picture {
        try await Self.thumbnail(of: bytes, max: side)
    }

    /// The picture as PNG, which older clients expect for pictures inside messages.
    public static func png(of bytes: [UInt8]) async throws(MediaError) -> Picture {
        try await OffPool.pictures.run { _ throws(MediaError) in
            let contents = try PictureContents(bytes)
            if contents.file.type == .png, let stripped = contents.stripped { return try Picture(stripped) }
            return try written(contents, side: nil, quality: jpegQuality, type: .png)
        }
    }

    private init(_ bytes: [UInt8]) throws(MediaError) {
        self.bytes = bytes
        file = try PictureFile.inspect(bytes)
    }

    /// The picture of a video frame as JPEG, scaled until neither side is longer.
    init(frame: VideoFrame, side: Int) throws(MediaError) {
        let buffer = try PixelBuffer(frame).scaled(toSide: side)
        try self.init(try buffer.encode(.jpeg, quality: Self.jpegQuality, profile: nil))
    }

    private static func losslessType(_ type: MediaType) -> MediaType {
        type == .jpeg ? .jpeg : .png
    }

    /// Decodes the picture, applies its orientation, scales it and encodes it; `type` nil chooses by transparency.
    private static func written(
        _ contents: PictureContents, side: Int?, quality: Int, type: MediaType?
    ) throws(MediaError) -> Picture {
        guard let still = contents.still else { throw .corrupt("a part of the picture is missing or invalid") }
        let opened = try PixelBuffer.decode(still, type: contents.file.type, side: side)
        let profile = opened.colorProfile
        let upright = try opened.upright(contents.file.orientation)
        let chosen = type ?? (upright.isTransparent ? .png : .jpeg)
        return try Picture(try upright.encode(chosen, quality: quality, profile: profile))
    }
}
