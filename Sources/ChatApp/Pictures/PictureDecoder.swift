internal import Foundation
internal import GTKBinding
internal import Media

/// Decodes pictures: PNG, JPEG and TIFF with GTK, other formats with the Media module. Nothing runs on the main thread.
nonisolated enum PictureDecoder {
    /// The content of a picture file.
    struct Content: Sendable {
        let bytes: [UInt8]
        /// The width of the original in pixels.
        let width: Int
        let height: Int
        /// `false` for a scaled copy.
        let isWhole: Bool
    }

    /// Reads a file; `nil` if it is not a picture.
    ///
    /// - Parameter side: larger pictures are scaled down to this longest side; `nil` returns the original.
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

    /// The decoded picture within ``PictureLimits``; `nil` if it is not a picture.
    @MainActor
    static func texture(_ bytes: [UInt8]) async -> Texture? {
        await Texture.decoded(readable(bytes))
    }
}
