/// How large a picture may be before it is refused unopened.
///
/// A few kilobytes can claim a size that fills all memory when opened, so the size in the header is checked first.
public enum PictureLimits {
    /// The most bytes of a picture file: larger than any camera writes, small enough to hold twice.
    public static let maximumByteCount = 64 << 20
    /// The most pixels: 8192 × 8192, which opened takes up 256 MiB; cameras of telephones make 12 to 50 million.
    public static let maximumPixelCount = 64 << 20
    /// The longest side in pixels: what a JPEG file can have.
    public static let maximumSide = 65_535
    /// The most pieces (segments, chunks, blocks) of one file, frames of an animation included.
    public static let maximumPieceCount = 100_000

    static func check(width: Int, height: Int) throws(MediaError) {
        guard width > 0, height > 0 else { throw .corrupt("it has no pixels") }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, width <= maximumSide, height <= maximumSide, pixels <= maximumPixelCount else {
            throw MediaError(
                .tooLarge, "The picture of \(width) × \(height) pixels is larger than can be opened safely.",
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
