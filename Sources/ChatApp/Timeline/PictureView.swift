internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization
internal import Media

/// A picture in a bubble. It reserves its context at once, then shows the thumbnail, then the file; a click opens it.
final class PictureView: AttachmentView {
    let root: Widget
    private let context: AttachmentContext
    private let picture = PictureWidget().covers()
    private let progress = ProgressRing()
    private let shade: Button
    private let alternative = Label().wrap().centered().css("dim-label")
    private var decoding: Task<Void, Never>?
    /// The file that is being read, or was.
    private var readPath: String?
    /// Whether the file itself is drawn, not its thumbnail.
    private(set) var isShown = false
    /// Plays an animated picture.
    private(set) var motion: PictureMotion?
    /// The number of frames drawn.
    private(set) var frameCount = 0

    /// The maximum width in a bubble, in pixels; smaller in a narrow window.
    private static let maximumWidth = 320.0
    private static let highest = 300.0
    private static let minimumWidth = 64
    private static let minimumTileWidth = 40
    /// Decoded pictures by file hash: as many as a few screens show.
    private static var textures: [String: Texture] = [:]
    private static var order: [String] = []
    private static let textureLimit = 40
    /// Twice the maximum side, for screens with a scale factor of 2.
    private nonisolated static let decodedSide = 640

    /// - Parameter tile: the size of one of several pictures, which is cut to fill it; `nil` for the whole picture.
    init(_ context: AttachmentContext, tile: (width: Int, height: Int)? = nil) {
        self.context = context
        let size = tile.map { (width: Double($0.width), height: Double($0.height)) } ?? Self.size(context.attachment)
        shade = Button(progress.widget).css("flat", "circular").align(horizontal: .center, vertical: .center)
        picture.css("photo").clipped()
        let overlay = Overlay(picture, alternative.align(horizontal: .center, vertical: .center), shade)
        root = ProportionalBin(
            overlay, width: Int(size.width), height: Int(size.height),
            minimumWidth: tile == nil ? Self.minimumWidth : Self.minimumTileWidth
        ).align(horizontal: .center).cursor("pointer")
        let name = localized("Picture: %@", context.attachment.name ?? localized("without a name"))
        root.accessible(label: name)
        picture.show(alternative: name)
        root.onClick { [weak self] _, _, _ in self?.activate() }
        shade.onClick { [weak self] in self?.activate() }
        if let hash = context.attachment.contentHash, let texture = Self.textures[hash] {
            picture.show(texture)
            isShown = true
        } else if let thumbnail = context.attachment.thumbnail {
            showPlaceholder(thumbnail)
        }
        observe(self) { view in view.showPhase() }
        if let download = context.download {
            Task { [isShown] in
                await download.look()
                if !isShown { download.startAutomatically() }
            }
        }
    }

    isolated deinit {
        decoding?.cancel()
        motion?.end()
    }

    func clear() {
        decoding?.cancel()
        motion?.end()
        motion = nil
    }

    func wake() { motion?.wake() }

    /// Shown until the picture is decoded.
    private func showPlaceholder(_ thumbnail: [UInt8]) {
        Task { [weak self] in
            let placeholder = await Texture.decoded(thumbnail)
            guard let self, !self.isShown else { return }
            self.picture.show(placeholder)
        }
    }

    private func move(_ path: String) {
        guard motion == nil, PictureMotion.mayMove(context.attachment.mediaType) else { return }
        motion = PictureMotion(path, side: Self.decodedSide, in: root) { [weak self] texture in
            guard let self else { return }
            self.frameCount += 1
            self.isShown = true
            self.picture.show(texture)
        }
        // The widget has its position after the next layout.
        var frames = 0
        root.onFrame { [weak self] in
            frames += 1
            if frames > 1 { self?.wake() }
            return frames < 2
        }
    }

    /// The size in a bubble, in pixels.
    static func size(_ attachment: Attachment) -> (width: Double, height: Double) {
        guard let width = attachment.width, let height = attachment.height, width > 0, height > 0 else {
            return (240, 180)
        }
        let scale = min(maximumWidth / Double(width), highest / Double(height), 1)
        // A smaller view could not hold the download button.
        let least = Double(minimumWidth)
        return (max(least, Double(width) * scale), max(least, Double(height) * scale))
    }

    func activate() { context.activate() }

    private func showPhase() {
        if let uploaded = context.download?.uploaded {
            let step = context.download?.sending ?? .uploading(0)
            return showProgress(.running(uploaded), Wording.sending(step))
        }
        guard let download = context.download else {
            return showProgress(nil, nil)
        }
        switch download.phase {
        case .here(let path):
            showProgress(nil, nil)
            decode(path)
            move(path)
        case .waiting: showProgress(.running(0), localized("Cancel"))
        case .fetching(let fraction): showProgress(.running(fraction ?? 0), localized("Cancel"))
        case .unknown, .gone: showProgress(nil, nil)
        case .absent: showProgress(.offer, localized("Download the picture"))
        case .failed: showProgress(.failed, localized("Try again"))
        }
    }

    private func showProgress(_ state: ProgressRing.State?, _ name: String?) {
        shade.isVisible = state != nil
        if let state { progress.show(state) }
        if let name { shade.named(name) }
    }

    /// Reads and scales the file off the main actor; only the scaled picture is drawn.
    private func decode(_ path: String) {
        guard !isShown, path != readPath else { return }
        readPath = path
        let hash = context.attachment.contentHash
        decoding = Task { [weak self] in
            let texture = await Texture.decoded(Self.small(path))
            guard !Task.isCancelled else { return }
            guard let texture else {
                self?.cannotShow()
                return
            }
            if let hash { Self.cache(texture, hash) }
            self?.picture.show(texture)
            self?.isShown = true
        }
    }

    @concurrent
    private nonisolated static func small(_ path: String) async -> [UInt8]? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return (try? await Media.Picture.thumbnail(of: [UInt8](data), max: decodedSide))?.bytes
    }

    private func cannotShow() {
        alternative.text = localized("This picture cannot be shown")
    }

    private static func cache(_ texture: Texture, _ hash: String) {
        textures[hash] = texture
        order.append(hash)
        if order.count > textureLimit { textures[order.removeFirst()] = nil }
    }
}
