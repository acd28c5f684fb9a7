/// A picture file taken apart: the facts, the bytes without metadata, and the bytes to open for a still image.
struct PictureContents {
    let file: PictureFile
    /// The same picture without metadata, or `nil` when the file breaks a rule or its type has no such form.
    let stripped: [UInt8]?
    /// What to give to the decoder: of an animation the first image. `nil` when the file is cut off or breaks a rule, but for
    /// JPEG: its decoder copes with what is met in the wild, while others would show what happens to be in memory or grey.
    let still: [UInt8]?

    init(_ bytes: [UInt8]) throws(MediaError) {
        try PictureLimits.check(byteCount: bytes.count)
        let type = MediaType(sniffing: bytes)
        switch type {
        case .jpeg:
            let parts = try JPEGSegments(bytes)
            file = try PictureFile(
                type: type, width: parts.width, height: parts.height, orientation: parts.orientation)
            stripped = parts.isComplete ? parts.stripped : nil
            still = stripped ?? bytes
        case .png:
            let parts = try PNGChunks(bytes)
            file = try PictureFile(
                type: type, width: parts.width, height: parts.height, orientation: parts.orientation,
                isAnimated: parts.isAnimated, hasAlpha: parts.hasAlpha)
            stripped = parts.isComplete ? parts.stripped : nil
            still = stripped
        case .gif:
            let parts = try GIFBlocks(bytes)
            file = try PictureFile(
                type: type, width: parts.width, height: parts.height, isAnimated: parts.frameCount > 1,
                hasAlpha: parts.hasTransparency)
            stripped = parts.isComplete ? parts.stripped : nil
            still = parts.firstFrame.isEmpty ? nil : parts.firstFrame
        case .webp:
            let parts = try WebPChunks(bytes)
            file = try PictureFile(
                type: type, width: parts.width, height: parts.height, orientation: parts.orientation,
                isAnimated: parts.isAnimated, hasAlpha: parts.hasAlpha)
            stripped = parts.isComplete ? parts.stripped : nil
            still = parts.isComplete ? parts.firstFrame ?? parts.stripped : nil
        case .bmp:
            let parts = try BitmapHeader(bytes)
            file = try PictureFile(type: type, width: parts.width, height: parts.height)
            stripped = nil
            still = parts.isComplete ? bytes : nil
        default:
            throw Self.refusal(type)
        }
    }

    private static func refusal(_ type: MediaType) -> MediaError {
        switch type {
        case .avif, .heic, .tiff:
            MediaError(
                .unsupported, "Pictures of type \(type.fileExtension.uppercased()) cannot be opened here.",
                remedy: "Save it as JPEG or PNG first.")
        case .octetStream:
            MediaError(.unrecognized, "The file is no picture of a known type.", remedy: "Use JPEG, PNG, GIF or WebP.")
        default:
            MediaError(.unsupported, "The file is \(type), not a picture.", remedy: "Use JPEG, PNG, GIF or WebP.")
        }
    }
}
