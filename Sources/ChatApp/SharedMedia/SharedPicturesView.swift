internal import ChatModel
internal import ChatStore
internal import Foundation
internal import GTKBinding
internal import Localization
internal import Media

/// The grid of all pictures of a conversation, newest first. Older ones are loaded while scrolling.
final class SharedPicturesView {
    let root: Widget
    let grid: GridView<PictureTile>
    let model: SharedMediaModel

    let actions: SharedMediaActions
    private let tiles = ListModel<SharedMediaItem>()
    let scroller: ScrolledWindow
    private let pane: SharedMediaPane
    private var diffs: ListObservation?

    init(_ actions: SharedMediaActions) {
        self.actions = actions
        model = actions.model([.picture])
        weak var view: SharedPicturesView?
        grid = GridView(tiles, columns: 3...8) {
            let tile = PictureTile(actions)
            tile.onMenu = { view?.showMenu($0, $1, $2, $3) }
            return tile
        }
        grid.activatesOnClick().css("tiles").accessible(label: localized("Pictures"))
        scroller = ScrolledWindow(grid).expand(.vertical, .horizontal)
        pane = SharedMediaPane(
            model, scroller,
            empty: StatusPage(
                icon: "image-x-generic-symbolic", title: localized("No Pictures Yet"),
                description: localized("Pictures that are sent in this conversation are found here.")))
        root = pane.root
        view = self
        grid.onActivate { [weak self] in self?.open($0) }
        grid.onKey(.bubble) { [weak self] in $0.asksForMenu && self?.showMenuOfFocused() == true }
        diffs = model.items.observe { [weak self] in
            self?.tiles.apply($0)
            self?.wake()
        }
        pane.onScroll = { [weak self] in self?.wakeNow() }
    }

    func close() {
        pane.close()
        diffs = nil
    }

    /// The name of the visible page of the stack.
    var page: String? { pane.page }

    /// The pictures shown, from the top.
    var items: [SharedMediaItem] { tiles.items }

    func open(_ index: Int) {
        if tiles.items.indices.contains(index) { actions.open(tiles[index], among: model) }
    }

    /// Tiles have their position after the next layout.
    private func wake() {
        var frames = 0
        grid.onFrame { [weak self] in
            frames += 1
            if frames > 1 { self?.wakeNow() }
            return frames < 2
        }
    }

    private func wakeNow() { grid.forEachRow { if $1.root.isOnScreen { $1.wake() } } }

    private func showMenuOfFocused() -> Bool { grid.focused.flatMap(showMenu(of:)) != nil }

    /// Opens the menu of a picture; `nil` if it is not visible.
    @discardableResult
    func showMenu(of index: Int) -> Popover? {
        guard tiles.items.indices.contains(index) else { return nil }
        var tile: PictureTile?
        grid.forEachRow { if $0 == index { tile = $1 } }
        guard let root = tile?.root else { return nil }
        return showMenu(tiles[index], root, Double(root.width) / 2, Double(root.height) / 2)
    }

    @discardableResult
    private func showMenu(_ item: SharedMediaItem, _ widget: Widget, _ x: Double, _ y: Double) -> Popover? {
        actions.showMenu(of: item, at: widget, x, y, in: scroller) { [weak self] in
            if let self { self.actions.open(item, among: self.model) }
        }
    }
}

/// A square tile with a picture. The file is read, or downloaded if it is small, when the tile becomes visible.
final class PictureTile: ListRow {
    let root: Widget
    private(set) var item: SharedMediaItem?
    var onMenu: (SharedMediaItem, Widget, Double, Double) -> Void = { _, _, _, _ in }
    /// Whether the downloaded file is shown, not its thumbnail.
    private(set) var isShown = false
    private(set) var accessibleText: String?

    private let actions: SharedMediaActions
    private let picture = PictureWidget().covers()
    private let blank = Icon("image-x-generic-symbolic", size: 24).css("dim-label")
    private let progress = ProgressRing()
    private var download: AttachmentDownload?
    private var following: ViewObservation?
    private var decoding: Task<Void, Never>?
    private var readPath: String?

    /// The natural and the minimum width in pixels.
    private static let (maximumWidth, minimumWidth) = (400, 92)
    /// Twice the side of the tile, for screens with a scale factor of 2.
    private nonisolated static let decodedSide = 320
    /// Decoded pictures by file hash: as many as a few screens show.
    private static var textures: [String: Texture] = [:]
    private static var order: [String] = []
    private static let textureLimit = 80
    /// The number of cached pictures.
    static var cachedCount: Int { textures.count }

    init(_ actions: SharedMediaActions) {
        self.actions = actions
        picture.css("photo").clipped().focusable(false)
        progress.widget.align(horizontal: .center, vertical: .center).hidden()
        blank.align(horizontal: .center, vertical: .center)
        let overlay = Overlay(picture, blank, progress.widget)
        root = ProportionalBin(
            overlay, width: Self.maximumWidth, height: Self.maximumWidth, minimumWidth: Self.minimumWidth
        ).cursor("pointer")
        root.tip(whenAsked: { [weak self] in
            self?.item.map { "\(SharedMediaText.sender($0)), \(Wording.full($0.message.time))" }
        })
        root.onMenu { [weak self] x, y in
            if let self, let item = self.item { self.onMenu(item, self.root, x, y) }
        }
    }

    isolated deinit { decoding?.cancel() }

    func show(_ item: SharedMediaItem) {
        let isOther = self.item?.id != item.id || self.item?.attachment.contentHash != item.attachment.contentHash
        self.item = item
        accessibleText = SharedMediaText.accessibilityText(item)
        picture.show(alternative: SharedMediaText.accessibilityText(item))
        guard isOther else { return }
        forget()
        let texture = item.attachment.contentHash.flatMap { Self.textures[$0] }
        isShown = texture != nil
        paint(texture)
        if texture == nil, let thumbnail = item.attachment.thumbnail { showPlaceholder(thumbnail, of: item.id) }
    }

    /// Shown until the picture is decoded.
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

    /// The tile became visible: loads the picture.
    func wake() {
        guard let item, download == nil, !isShown, let download = actions.download(of: item) else { return }
        self.download = download
        following = observe { [weak self, weak download] in
            if let download { self?.follow(download.phase) }
        }
        Task {
            await download.look()
            download.startAutomatically()
        }
    }

    private func follow(_ phase: AttachmentDownload.Phase) {
        let state: ProgressRing.State? =
            switch phase {
            case .here, .gone, .unknown: nil
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

    /// Reads and scales the file off the main actor; only the scaled picture is drawn.
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
            if let hash { Self.cache(texture, hash) }
            self.isShown = true
            self.paint(texture)
        }
    }

    @concurrent
    private nonisolated static func small(_ path: String) async -> [UInt8]? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return (try? await Media.Picture.thumbnail(of: [UInt8](data), max: decodedSide))?.bytes
    }

    private static func cache(_ texture: Texture, _ hash: String) {
        if textures.updateValue(texture, forKey: hash) == nil { order.append(hash) }
        if order.count > textureLimit { textures[order.removeFirst()] = nil }
    }
}
