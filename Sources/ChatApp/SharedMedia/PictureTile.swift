internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization
internal import Media

/// A picture as a small square among others. It is read, or fetched where it is small enough, only once it is to be seen.
final class PictureTile: ListRow {
    let root: Widget
    private(set) var item: SharedMediaItem?
    var onMenu: (SharedMediaItem, Widget, Double, Double) -> Void = { _, _, _, _ in }
    /// What was fetched is on the screen, not a small copy of it.
    private(set) var isShown = false

    private let wishes: SharedMediaWishes
    private let picture = PictureWidget().covers()
    private let blank = Icon("image-x-generic-symbolic", size: 24).css("dim-label")
    private let progress = ProgressRing()
    private var download: AttachmentDownload?
    private var following: ViewObservation?
    private var decoding: Task<Void, Never>?
    private var readPath: String?

    /// How wide it is wished and may be at least, in pixels.
    private static let (widest, narrowest) = (400, 92)
    /// Sharp where a pixel of the layout has two of the screen.
    private nonisolated static let decodedSide = 320
    /// Painted pictures of a few screens, by the hash of their file.
    private static var textures: [String: Texture] = [:]
    private static var order: [String] = []
    private static let textureLimit = 80
    /// How many are kept now.
    static var keptCount: Int { textures.count }

    init(_ wishes: SharedMediaWishes) {
        self.wishes = wishes
        picture.css("photo").clipped().focusable(false)
        progress.widget.align(horizontal: .center, vertical: .center).hidden()
        blank.align(horizontal: .center, vertical: .center)
        let overlay = Overlay(picture, blank, progress.widget)
        root = ProportionalBin(
            overlay, width: Self.widest, height: Self.widest, minimumWidth: Self.narrowest
        ).cursor("pointer")
        root.tip(whenAsked: { [weak self] in
            self?.item.map { "\(SharedMediaWords.sender($0)), \(Wording.full($0.message.time))" }
        })
        root.onMenu { [weak self] x, y in
            if let self, let item = self.item { self.onMenu(item, self.root, x, y) }
        }
    }

    isolated deinit { decoding?.cancel() }

    func show(_ item: SharedMediaItem) {
        let isOther = self.item?.id != item.id || self.item?.attachment.contentHash != item.attachment.contentHash
        self.item = item
        root.accessible(label: SharedMediaWords.spoken(item))
        picture.show(alternative: SharedMediaWords.spoken(item))
        guard isOther else { return }
        forget()
        let texture = item.attachment.contentHash.flatMap { Self.textures[$0] }
        isShown = texture != nil
        paint(texture)
        if texture == nil, let thumbnail = item.attachment.thumbnail { showPlaceholder(thumbnail, of: item.id) }
    }

    /// What is seen until the picture is there.
    private func showPlaceholder(_ thumbnail: [UInt8], of id: SharedMediaItem.ID) {
        Task { [weak self] in
            let placeholder = await Texture.decoded(thumbnail)
            guard let self, placeholder != nil, !self.isShown, self.item?.id == id else { return }
            self.paint(placeholder)
        }
    }

    func clear() {
        forget()
        item = nil
    }

    private func forget() {
        decoding?.cancel()
        following?.end()
        (decoding, following, download, readPath) = (nil, nil, nil, nil)
        isShown = false
        progress.widget.isVisible = false
    }

    /// It is to be seen: shows all of it as soon as it is here.
    func wake() {
        guard let item, download == nil, !isShown, let download = wishes.download(of: item) else { return }
        self.download = download
        following = observe { [weak self, weak download] in
            if let download { self?.follow(download.phase) }
        }
        Task {
            await download.look()
            download.startIfSmall()
        }
    }

    private func follow(_ phase: AttachmentDownload.Phase) {
        let state: ProgressRing.State? =
            switch phase {
            case .here, .unknown: nil
            case .waiting: .running(0)
            case .fetching(let fraction): .running(fraction ?? 0)
            case .absent: .offer
            case .failed: .failed
            }
        progress.widget.isVisible = state != nil && !isShown
        if let state { progress.show(state) }
        if state != nil { blank.isVisible = false }
        if case .here(let path) = phase { decode(path) }
    }

    private func paint(_ texture: Texture?) {
        picture.show(texture)
        blank.isVisible = texture == nil
    }

    /// Reads and scales it away from the main actor; only the small one is painted.
    private func decode(_ path: String) {
        guard !isShown, path != readPath else { return }
        readPath = path
        let hash = item?.attachment.contentHash
        decoding = Task { [weak self] in
            let texture = await Texture.decoded(Self.small(path))
            guard !Task.isCancelled, let self else { return }
            guard let texture else {
                self.blank.show("image-missing-symbolic")
                return self.blank.isVisible = true
            }
            if let hash { Self.keep(texture, hash) }
            self.isShown = true
            self.paint(texture)
        }
    }

    @concurrent
    private nonisolated static func small(_ path: String) async -> [UInt8]? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return (try? await Media.Picture.thumbnail(of: [UInt8](data), max: decodedSide))?.bytes
    }

    private static func keep(_ texture: Texture, _ hash: String) {
        if textures.updateValue(texture, forKey: hash) == nil { order.append(hash) }
        if order.count > textureLimit { textures[order.removeFirst()] = nil }
    }
}
