/// Facts about a picture file, read from its bytes without decoding the picture.
public struct PictureFile: Sendable, Hashable {
    /// Determined from the bytes, never from a name.
    public let type: MediaType
    /// Width in pixels as displayed, with the orientation applied.
    public let width: Int
    /// Height in pixels as displayed, with the orientation applied.
    public let height: Int
    /// The orientation of the stored picture.
    public let orientation: PictureOrientation
    /// Whether it is a sequence of several images.
    public let isAnimated: Bool
    /// Whether parts may be transparent.
    public let hasAlpha: Bool

    /// Reads the headers of PNG, JPEG, GIF, WebP and BMP.
    ///
    /// Throws `unsupported` for AVIF, HEIC and other pictures that cannot be opened here, `unrecognized` for anything
    /// that is not a picture, `tooLarge` beyond ``PictureLimits``, and `corrupt`.
    public static func inspect(_ bytes: [UInt8]) throws(MediaError) -> PictureFile {
        try PictureContents(bytes).file
    }

    /// The longest side of a picture that is shown in the place of a file, in pixels (XEP-0264 §5).
    public static let previewSide = 128

    /// Whether these bytes are a still PNG or JPEG with sides of at most ``previewSide``, so that decoding costs little.
    public static func isPreview(_ bytes: [UInt8]) -> Bool {
        guard let file = try? inspect(bytes) else { return false }
        return [.png, .jpeg].contains(file.type) && !file.isAnimated && max(file.width, file.height) <= previewSide
    }

    init(
        type: MediaType, width: Int, height: Int, orientation: PictureOrientation = .upright, isAnimated: Bool = false,
        hasAlpha: Bool = false
    ) throws(MediaError) {
        try PictureLimits.check(width: width, height: height)
        self.type = type
        self.width = orientation.swapsSides ? height : width
        self.height = orientation.swapsSides ? width : height
        self.orientation = orientation
        self.isAnimated = isAnimated
        self.hasAlpha = hasAlpha
    }
}

/// The limits beyond which a picture is refused without decoding it.
///
/// A few kilobytes can claim a size that would fill all memory when decoded, so the size in the header is checked
/// first.
public enum PictureLimits {
    /// The maximum number of bytes of a picture file: larger than any camera writes, small enough to have in memory
    /// twice.
    public static let maximumByteCount = 64 << 20
    /// The maximum number of pixels: 8192 × 8192, which take 256 MiB when decoded; phone cameras produce 12 to 50
    /// million.
    public static let maximumPixelCount = 64 << 20
    /// The maximum side in pixels: the limit of the JPEG format.
    public static let maximumSide = 65_535
    /// The maximum number of parts (segments, chunks, blocks) of one file, including the frames of an animation.
    public static let maximumPieceCount = 100_000

    static func check(width: Int, height: Int) throws(MediaError) {
        guard width > 0, height > 0 else { throw .corrupt("it has no pixels") }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, width <= maximumSide, height <= maximumSide, pixels <= maximumPixelCount else {
            throw MediaError(
                .tooLarge, "The picture of \(width) × \(height) pixels is too large to be opened safely.",
                remedy: "Use a smaller one.")
        }
    }

    static func check(byteCount: Int) throws(MediaError) {
        guard byteCount > 0 else {
            throw MediaError(.empty, "The picture file is empty.", remedy: "Ask for it again.")
        }
        guard byteCount <= maximumByteCount else {
            throw MediaError(
                .tooLarge, "The picture file has more than \(maximumByteCount >> 20) MiB.", remedy: "Use a smaller one."
            )
        }
    }
}
