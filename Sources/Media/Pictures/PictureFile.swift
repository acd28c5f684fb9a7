/// What is in a picture file, read from its bytes without opening the picture.
public struct PictureFile: Sendable, Hashable {
    /// Decided by the bytes, never by a name.
    public let type: MediaType
    /// Pixels across, as shown: the orientation is applied.
    public let width: Int
    /// Pixels down, as shown: the orientation is applied.
    public let height: Int
    /// How the stored picture is turned.
    public let orientation: PictureOrientation
    /// More than one image that follow each other.
    public let isAnimated: Bool
    /// Whether parts may be transparent.
    public let hasAlpha: Bool

    /// Reads the headers of PNG, JPEG, GIF, WebP and BMP.
    ///
    /// Throws `unsupported` for AVIF, HEIC and other pictures that cannot be opened here, `unrecognized` for what is no
    /// picture, `tooLarge` beyond ``PictureLimits``, and `corrupt`.
    public static func inspect(_ bytes: [UInt8]) throws(MediaError) -> PictureFile {
        try PictureContents(bytes).file
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
