/// A picture file taken apart: the facts, the bytes without metadata, and the bytes to open for a still image.
struct PictureContents {
    let file: PictureFile
    /// The same picture without metadata, or `nil` when the file breaks a rule or its type has no such form.
    let stripped: [UInt8]?
    /// What to give to the decoder: of an animated GIF the first image.
    let still: [UInt8]

    init(_ bytes: [UInt8]) throws(MediaError) {
        try PictureLimits.check(byteCount: bytes.count)
        let type = MediaType(sniffing: bytes)
        switch type {
        case .jpeg:
            let parts = try JPEGSegments(bytes)
            file = try PictureFile(
                type: type, width: parts.width, height: parts.height, orientation: parts.orientation)
            stripped = parts.isComplete ? parts.stripped : nil
            still = bytes
        case .png:
            let parts = try PNGChunks(bytes)
            file = try PictureFile(
                type: type, width: parts.width, height: parts.height, orientation: parts.orientation,
                isAnimated: parts.isAnimated, hasAlpha: parts.hasAlpha)
            stripped = parts.isComplete ? parts.stripped : nil
            still = bytes
        case .gif:
            let parts = try GIFBlocks(bytes)
            file = try PictureFile(
                type: type, width: parts.width, height: parts.height, isAnimated: parts.frameCount > 1,
                hasAlpha: parts.hasTransparency)
            stripped = parts.isComplete ? parts.stripped : nil
            still = parts.firstFrame.isEmpty ? bytes : parts.firstFrame
        case .webp:
            let parts = try WebPChunks(bytes)
            file = try PictureFile(
                type: type, width: parts.width, height: parts.height, orientation: parts.orientation,
                isAnimated: parts.isAnimated, hasAlpha: parts.hasAlpha)
            stripped = parts.isComplete ? parts.stripped : nil
            still = bytes
        case .bmp:
            file = try Self.bitmap(bytes)
            stripped = nil
            still = bytes
        default:
            throw Self.refusal(type)
        }
    }

    /// Width and height out of one of the two generations of header.
    private static func bitmap(_ bytes: [UInt8]) throws(MediaError) -> PictureFile {
        var cursor = ByteCursor(bytes)
        try cursor.skip(14)
        let width: Int
        let height: Int
        if try cursor.littleEndian(4) == 12 {
            width = try cursor.littleEndian(2)
            height = try cursor.littleEndian(2)
        } else {
            width = Int(Int32(truncatingIfNeeded: try cursor.littleEndian(4)))
            // A negative height means that the first row stands on top.
            height = abs(Int(Int32(truncatingIfNeeded: try cursor.littleEndian(4))))
        }
        return try PictureFile(type: .bmp, width: width, height: height)
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
