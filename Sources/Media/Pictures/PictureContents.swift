/// A parsed picture file: the facts, the bytes without metadata, and the bytes to decode for a still image.
struct PictureContents {
    let file: PictureFile
    /// The picture without metadata, or `nil` if the file is invalid or its type has no such form.
    let stripped: [UInt8]?
    /// The bytes for the decoder: of an animation the first image. `nil` if the file is truncated or invalid, except
    /// for JPEG: its decoder handles the damage that occurs in practice, while others would show uninitialised memory
    /// or grey.
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
            MediaError(
                .unrecognized, "The file is not a picture of a known type.", remedy: "Use JPEG, PNG, GIF or WebP.")
        default:
            MediaError(.unsupported, "The file is \(type), not a picture.", remedy: "Use JPEG, PNG, GIF or WebP.")
        }
    }
}

/// The header of a Windows bitmap: its size, and whether all rows are present. A bitmap contains no metadata.
struct BitmapHeader {
    let width: Int
    let height: Int
    /// Whether the file is as long as its rows need; never for the rare compressed kinds, whose length is unknown.
    let isComplete: Bool

    init(_ bytes: [UInt8]) throws(MediaError) {
        var cursor = ByteCursor(bytes)
        try cursor.skip(10)
        let pixels = try cursor.littleEndian(4)
        let depth: Int
        var compression = 0
        if try cursor.littleEndian(4) == 12 {
            width = try cursor.littleEndian(2)
            height = try cursor.littleEndian(2)
            try cursor.skip(2)
            depth = try cursor.littleEndian(2)
        } else {
            width = Int(Int32(truncatingIfNeeded: try cursor.littleEndian(4)))
            // A negative height means that the first row is at the top.
            height = abs(Int(Int32(truncatingIfNeeded: try cursor.littleEndian(4))))
            try cursor.skip(2)
            depth = try cursor.littleEndian(2)
            compression = try cursor.littleEndian(4)
        }
        try PictureLimits.check(width: width, height: height)
        // Rows are padded to four bytes. Compression 0, 3 and 6 store the pixels directly.
        let row = (width * depth + 31) / 32 * 4
        isComplete = [0, 3, 6].contains(compression) && pixels + row * height <= bytes.count
    }
}
