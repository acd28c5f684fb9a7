internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization
internal import Media

/// A picture in a bubble: its place from the first moment on, then a small one, then itself; a click opens it.
final class PictureView: AttachmentView {
    let root: Widget
    private let place: AttachmentPlace
    private let picture = PictureWidget().covers()
    private let progress = ProgressRing()
    private let shade: Button
    private let alternative = Label().wrap().centered().css("dim-label")
    private var decoding: Task<Void, Never>?
    private var shownPath: String?
    /// What was fetched is on the screen, not a small copy of it.
    var isShown: Bool { shownPath != nil }
    private var isShowingAll = false
    /// A picture that may move does so by this.
    private(set) var motion: PictureMotion?
    /// Frames that were painted.
    private(set) var frameCount = 0

    /// The largest place of a picture in a bubble, in pixels; a narrow window makes it smaller.
    private static let widest = 320.0
    private static let highest = 300.0
    private static let narrowest = 64
    /// Painted pictures of a few screens, by the hash of their file.
    private static var textures: [String: Texture] = [:]
    private static var order: [String] = []
    private static let textureLimit = 40
    /// Sharp where a pixel of the layout has two of the screen.
    private nonisolated static let decodedSide = 640

    init(_ place: AttachmentPlace) {
        self.place = place
        let size = Self.size(place.attachment)
        shade = Button(progress.widget).css("flat", "circular").align(horizontal: .center, vertical: .center)
        picture.css("photo").clipped()
        let overlay = Overlay(picture, alternative.align(horizontal: .center, vertical: .center), shade)
        root = ProportionalBin(
            overlay, width: Int(size.width), height: Int(size.height), minimumWidth: Self.narrowest
        ).align(horizontal: .start).cursor("pointer")
        let name = localized("Picture: %@", place.attachment.name ?? localized("without a name"))
        root.accessible(label: name)
        picture.show(alternative: name)
        root.onClick { [weak self] _, _, _ in self?.clicked() }
        shade.onClick { [weak self] in self?.clicked() }
        if let hash = place.attachment.contentHash, let texture = Self.textures[hash] {
            picture.show(texture)
            isShowingAll = true
        } else if let thumbnail = place.attachment.thumbnail {
            showPlaceholder(thumbnail)
        }
        observe(self) { view in view.showPhase() }
        if let download = place.download {
            Task { [isShowingAll] in
                await download.look()
                if !isShowingAll { download.startIfSmall() }
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

    /// What is seen until the picture is there.
    private func showPlaceholder(_ thumbnail: [UInt8]) {
        Task { [weak self] in
            let placeholder = await Texture.decoded(thumbnail)
            guard let self, !self.isShowingAll else { return }
            self.picture.show(placeholder)
        }
    }

    private func move(_ path: String) {
        guard motion == nil, PictureMotion.mayMove(place.attachment.mediaType) else { return }
        motion = PictureMotion(path, side: Self.decodedSide, in: root) { [weak self] texture in
            guard let self else { return }
            self.frameCount += 1
            self.isShowingAll = true
            self.picture.show(texture)
        }
        // It has its place after the next layout.
        var frames = 0
        root.onFrame { [weak self] in
            frames += 1
            if frames > 1 { self?.wake() }
            return frames < 2
        }
    }

    private static func size(_ attachment: Attachment) -> (width: Double, height: Double) {
        guard let width = attachment.width, let height = attachment.height, width > 0, height > 0 else {
            return (240, 180)
        }
        let scale = min(widest / Double(width), highest / Double(height), 1)
        // A place smaller than this could hold no button.
        let least = Double(narrowest)
        return (max(least, Double(width) * scale), max(least, Double(height) * scale))
    }

    private func clicked() {
        guard let download = place.download else { return }
        switch download.phase {
        case .here: place.open(place.message, place.index)
        case .waiting, .fetching: download.cancel()
        case .unknown, .absent, .failed: download.start()
        }
    }

    private func showPhase() {
        if let uploaded = place.download?.uploaded {
            return showProgress(.running(uploaded), nil)
        }
        guard let download = place.download else {
            return showProgress(isShowingAll ? nil : .offer, nil)
        }
        switch download.phase {
        case .here(let path):
            showProgress(nil, nil)
            decode(path)
            move(path)
        case .waiting: showProgress(.running(0), localized("Cancel"))
        case .fetching(let fraction): showProgress(.running(fraction ?? 0), localized("Cancel"))
        case .unknown: showProgress(nil, nil)
        case .absent: showProgress(.offer, localized("Fetch the picture"))
        case .failed: showProgress(.failed, localized("Try again"))
        }
    }

    private func showProgress(_ state: ProgressRing.State?, _ name: String?) {
        shade.isVisible = state != nil
        if let state { progress.show(state) }
        if let name { shade.named(name) }
    }

    /// Reads and scales it away from the main actor; only the small one is painted.
    private func decode(_ path: String) {
        guard !isShowingAll, path != shownPath else { return }
        shownPath = path
        let hash = place.attachment.contentHash
        decoding = Task { [weak self] in
            let texture = await Texture.decoded(Self.small(path))
            guard !Task.isCancelled else { return }
            guard let texture else {
                self?.cannotShow()
                return
            }
            if let hash { Self.keep(texture, hash) }
            self?.picture.show(texture)
            self?.isShowingAll = true
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

    private static func keep(_ texture: Texture, _ hash: String) {
        textures[hash] = texture
        order.append(hash)
        if order.count > textureLimit { textures[order.removeFirst()] = nil }
    }
}
