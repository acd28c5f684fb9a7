internal import GTKBinding
internal import Media

/// Pictures as GTK reads them: PNG, JPEG and TIFF by itself, others through the module for media.
nonisolated enum PictureBytes {
    static func readable(_ bytes: [UInt8]) async -> [UInt8]? {
        guard let file = try? PictureFile.inspect(bytes) else { return nil }
        let isUpright = file.orientation == .upright
        if isUpright, file.type == .png || file.type == .jpeg { return bytes }
        return try? await Media.Picture.png(of: bytes).bytes
    }

    /// The picture, decoded within ``PictureLimits`` and away from the main thread; `nil` where it is none.
    @MainActor
    static func texture(_ bytes: [UInt8]) async -> Texture? {
        await Texture.decoded(readable(bytes))
    }
}
