internal import Foundation
internal import GTKBinding
internal import Media

/// Pictures as GTK reads them: PNG, JPEG and TIFF by itself, others through the module for media. Nothing of it runs on the main thread.
nonisolated enum PictureBytes {
    /// What is read of a picture's file.
    struct Content: Sendable {
        let bytes: [UInt8]
        /// Of the whole picture, in pixels.
        let width: Int
        let height: Int
        /// `false` for a smaller copy.
        let isWhole: Bool
    }

    /// Reads a file; `nil` where it is no picture.
    ///
    /// - Parameter side: of what is larger a copy with this longest side is made; `nil` gives the whole picture.
    @concurrent
    static func content(of path: String, side: Int? = nil) async -> Content? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let bytes = [UInt8](data)
        guard let file = try? PictureFile.inspect(bytes) else { return nil }
        if let side, max(file.width, file.height) > side,
            let small = try? await Media.Picture.thumbnail(of: bytes, max: side)
        {
            return Content(bytes: small.bytes, width: file.width, height: file.height, isWhole: false)
        }
        let readable = await readable(bytes)
        return readable.map { Content(bytes: $0, width: file.width, height: file.height, isWhole: true) }
    }

    @concurrent
    private static func readable(_ bytes: [UInt8]) async -> [UInt8]? {
        guard let file = try? PictureFile.inspect(bytes) else { return nil }
        let isUpright = file.orientation == .upright
        if isUpright, file.type == .png || file.type == .jpeg { return bytes }
        return try? await Media.Picture.png(of: bytes).bytes
    }

    /// The picture, decoded within ``PictureLimits``; `nil` where it is none.
    @MainActor
    static func texture(_ bytes: [UInt8]) async -> Texture? {
        await Texture.decoded(readable(bytes))
    }
}
