internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// A window that shows the pictures of a conversation one at a time and zooms them.
///
/// The arrow keys show the next and the previous picture, `+`, `−` and Ctrl with the wheel zoom, `0` fits the picture
/// into the window, Ctrl+C copies and Ctrl+S saves.
final class PictureViewer {
    /// A picture of the viewer.
    struct Item {
        let message: MessageID
        let index: Int
        let attachment: Attachment

        var id: SharedMediaItem.ID { SharedMediaItem.ID(message: message, index: index) }
    }

    /// Loads the pictures before `oldest`, oldest first; `nil` when all pictures are loaded.
    var loadOlder: ((_ oldest: Item) async -> [Item])? {
        didSet { reachedOldest() }
    }
    /// Shows the message of the picture in the conversation.
    var onShowInConversation: ((MessageID) -> Void)? {
        didSet { showMessage.isVisible = onShowInConversation != nil }
    }

    /// Open windows, which nothing else holds.
    private(set) static var open: [ObjectIdentifier: PictureViewer] = [:]

    let window: Window
    private(set) var items: [Item]
    private(set) var index: Int
    private let downloads: AttachmentDownloads
    private let showToast: (String) -> Void
    private let picture = PictureWidget()
    private let scroller: ScrolledWindow
    private let title = HeaderBar.title(localized("Picture"))
    private let stack = Stack()
    private let progress = ProgressBar()
    private let failure = Label().wrap().centered()
    private let retry = Button(localized("_Try Again")).css("pill")
    private let previous = Button(icon: "go-previous-symbolic").css("osd", "circular")
    private let next = Button(icon: "go-next-symbolic").css("osd", "circular")
    private let save = Button(icon: "document-save-symbolic")
    private let copy = Button(icon: "edit-copy-symbolic")
    let showMessage = Button(icon: "find-location-symbolic").hidden()
    private var isLoadingOlder = false
    private var download: AttachmentDownload?
    private var following: ViewObservation?
    private var loading: Task<Void, Never>?
    /// The picture, or a scaled copy of a large one.
    private var texture: Texture?
    /// The size of the original in pixels.
    private var pixels: (width: Int, height: Int)?
    /// The original of a large picture, after it was needed.
    private var original: (texture: Texture, picture: TiledPicture)?
    private var isOriginalNeeded = false
    private var shownContent: Widget?
    private var whenWhole: [() -> Void] = []
    private var motion: PictureMotion?
    private var shownPath: String?
    /// Screen pixels per picture pixel; `nil` fits the picture into the window.
    private(set) var zoom: Double?

    /// The factor of one zoom step, and the smallest and the largest zoom.
    private static let step = 1.25
    private static let zooms = 0.1...8.0
    /// The longest side of an animated picture in pixels, about one screen.
    private static let movingSide = 2048
    /// A larger picture is shown as a copy with this longest side, in pixels, until the user zooms in, and then by the
    /// part that is visible: drawing 12 megapixels takes longer than a frame.
    private static let screenSide = 1920

    init(
        _ items: [Item], at index: Int, downloads: AttachmentDownloads, over parent: Window?,
        showToast: @escaping (String) -> Void = { _ in }
    ) {
        self.items = items
        self.index = min(max(0, index), max(0, items.count - 1))
        self.downloads = downloads
        self.showToast = showToast
        scroller = ScrolledWindow(picture, horizontal: true)
        shownContent = picture
        let bar = HeaderBar(title: title)
        let smaller = Button(icon: "zoom-out-symbolic")
        let larger = Button(icon: "zoom-in-symbolic")
        for button in [smaller, larger] { bar.prepend(button) }
        for button in [save, copy, showMessage] { bar.append(button) }
        let waiting = Box.vertical(spacing: 12, Spinner.turning(), progress).align(
            horizontal: .center, vertical: .center)
        progress.minimumSize(width: 200)
        stack.add(scroller.expand(.horizontal, .vertical), name: "picture")
        stack.add(waiting, name: "waiting")
        stack.add(
            Box.vertical(spacing: 12, failure, retry).align(horizontal: .center, vertical: .center), name: "failure")
        previous.align(horizontal: .start, vertical: .center).margins(start: 12)
        next.align(horizontal: .end, vertical: .center).margins(end: 12)
        window = Window(
            localized("Picture"), width: 860, height: 680, over: nil,
            Box.vertical(bar, Overlay(stack, previous, next).expand(.horizontal, .vertical)))
        window.minimumSize(width: 360, height: 300)
        window.isTransient(for: parent)
        smaller.named(localized("Smaller"))
        larger.named(localized("Larger"))
        save.named(localized("Save Picture"))
        copy.named(localized("Copy picture"))
        showMessage.named(localized("Show in conversation"))
        previous.named(localized("Previous picture"))
        next.named(localized("Next picture"))
        smaller.onClick { [weak self] in self?.resize(by: 1 / Self.step) }
        larger.onClick { [weak self] in self?.resize(by: Self.step) }
        save.onClick { [weak self] in self?.saveFile() }
        copy.onClick { [weak self] in self?.copyPicture() }
        showMessage.onClick { [weak self] in self?.leave() }
        previous.onClick { [weak self] in self?.move(-1) }
        next.onClick { [weak self] in self?.move(1) }
        retry.onClick { [weak self] in self?.download?.start() }
        scroller.onClick { [weak self] count, _, _ in if count == 2 { self?.toggleFit() } }
        window.onKey { [weak self] in self?.pressed($0) ?? false }
        scroller.onWheel { [weak self] step, modifiers in
            guard modifiers.contains(.control) else { return false }
            self?.resize(by: step < 0 ? Self.step : 1 / Self.step)
            return true
        }
        scroller.onMove { [weak self] in self?.drawVisiblePart() }
        window.onActive { [weak self] isActive in if isActive { self?.motion?.wake() } }
        window.onCloseRequest { [weak self] in
            self?.closed()
            return false
        }
        showItem()
    }

    func present() {
        Self.open[ObjectIdentifier(self)] = self
        window.present()
    }

    private func closed() {
        motion?.end()
        loading?.cancel()
        following?.end()
        Self.open[ObjectIdentifier(self)] = nil
    }

    // MARK: Keys

    private func pressed(_ press: KeyPress) -> Bool {
        let key = UnicodeScalar(press.value).map(Character.init)
        switch press.key {
        case .escape: window.close()
        case .left where press.modifiers.isEmpty, .pageUp: move(-1)
        case .right where press.modifiers.isEmpty, .pageDown, .space: move(1)
        case .home: move(-items.count)
        case .end: move(items.count)
        default:
            switch (key, press.modifiers.contains(.control)) {
            case ("+", _), ("=", _): resize(by: Self.step)
            case ("-", _): resize(by: 1 / Self.step)
            case ("0", _): fit()
            case ("1", _): show(zoom: 1)
            case ("c", true): copyPicture()
            case ("s", true): saveFile()
            case ("w", true): window.close()
            default: return false
            }
        }
        return true
    }

    // MARK: Navigation

    func move(_ count: Int) {
        let target = min(max(0, index + count), items.count - 1)
        guard target != index else { return }
        index = target
        showItem()
        reachedOldest()
    }

    /// Loads older pictures before the user reaches the last one.
    private func reachedOldest() {
        guard index == 0, let loadOlder, !isLoadingOlder, let first = items.first else { return }
        isLoadingOlder = true
        Task { [weak self] in
            let older = await loadOlder(first)
            guard let self else { return }
            self.isLoadingOlder = false
            guard !older.isEmpty, self.items.first?.id == first.id else { return }
            self.items.insert(contentsOf: older, at: 0)
            self.index += older.count
            self.previous.isVisible = self.index > 0
            self.showDetails()
        }
    }

    private func leave() {
        guard items.indices.contains(index) else { return }
        let message = items[index].message
        let show = onShowInConversation
        window.close()
        show?(message)
    }

    private func showItem() {
        guard items.indices.contains(index) else { return }
        let item = items[index]
        loading?.cancel()
        motion?.end()
        motion = nil
        texture = nil
        pixels = nil
        original = nil
        isOriginalNeeded = false
        whenWhole = []
        shownPath = nil
        zoom = nil
        content = picture
        picture.show(nil)
        if let thumbnail = item.attachment.thumbnail { showPlaceholder(thumbnail, of: item) }
        let name = item.attachment.name ?? localized("Picture")
        window.title = name
        picture.show(alternative: name)
        previous.isVisible = index > 0
        next.isVisible = index < items.count - 1
        let download = downloads.download(of: item.message, at: item.index, attachment: item.attachment)
        self.download = download
        showDetails()
        following?.end()
        following = observe { [weak self, weak download] in
            if let download { self?.show(download.phase) }
        }
        Task {
            await download.look()
            // An offer of the contact's device waits for an answer.
            if download.phase == .absent, download.offer == nil { download.start() }
        }
    }

    /// Shown until the picture is decoded.
    private func showPlaceholder(_ thumbnail: [UInt8], of item: Item) {
        Task { [weak self] in
            let placeholder = await Texture.decoded(thumbnail)
            guard let self, self.texture == nil, self.items[self.index].id == item.id else { return }
            self.picture.show(placeholder)
        }
    }

    private func show(_ phase: AttachmentDownload.Phase) {
        save.isSensitive = false
        copy.isSensitive = texture != nil
        switch phase {
        case .here(let path):
            save.isSensitive = true
            load(path)
        case .fetching(let fraction):
            progress.fraction = fraction ?? 0
            stack.shown = "waiting"
        case .unknown, .absent, .waiting:
            progress.fraction = 0
            stack.shown = "waiting"
        case .gone: fail(Wording.goneFile)
        case .failed(let reason):
            fail(Wording.failure(reason))
        }
    }

    private func fail(_ sentence: String) {
        failure.text = sentence
        stack.shown = "failure"
    }

    /// Reads and decodes the file off the main thread.
    private func load(_ path: String) {
        guard path != shownPath else { return }
        shownPath = path
        loading = Task { [weak self] in
            let content = await PictureDecoder.content(of: path, side: Self.screenSide)
            let texture = await Texture.decoded(content?.bytes)
            guard !Task.isCancelled, let self else { return }
            guard let texture, let content else {
                self.retry.isVisible = false
                return self.fail(localized("This picture cannot be shown"))
            }
            self.texture = texture
            self.pixels = content.isWhole ? (texture.width, texture.height) : (content.width, content.height)
            self.isOriginalNeeded = !content.isWhole
            self.picture.show(texture)
            self.copy.isSensitive = true
            self.stack.shown = "picture"
            self.fit()
            self.showDetails()
            self.move(path)
        }
    }

    /// Whether the original is loaded.
    var isWhole: Bool { texture != nil && !isOriginalNeeded }

    /// Loads the original of a scaled copy, then calls `done`.
    private func loadWhole(_ done: @escaping () -> Void = {}) {
        guard let path = shownPath, isOriginalNeeded else { return done() }
        whenWhole.append(done)
        guard whenWhole.count == 1 else { return }
        loading = Task { [weak self] in
            let squares = await Texture.decoded(PictureDecoder.content(of: path)?.bytes)?.squares()
            guard !Task.isCancelled, let self, path == self.shownPath else { return }
            if let squares {
                self.original = (squares.whole, TiledPicture(squares))
                self.isOriginalNeeded = false
                if let zoom = self.zoom { self.show(zoom: zoom) }
            }
            let waiting = self.whenWhole
            self.whenWhole = []
            for done in waiting { done() }
        }
    }

    private func move(_ path: String) {
        guard PictureMotion.mayMove(items[index].attachment.mediaType) else { return }
        motion = PictureMotion(path, side: Self.movingSide, in: picture) { [weak self] in self?.picture.show($0) }
        var frames = 0
        picture.onFrame { [weak self] in
            frames += 1
            if frames > 1 { self?.motion?.wake() }
            return frames < 2
        }
    }

    private func showDetails() {
        var parts: [String] = []
        if items.count > 1 { parts.append(localized("%@ of %@", index + 1, items.count)) }
        if let pixels { parts.append("\(pixels.width) × \(pixels.height)") }
        if let size = items[index].attachment.size { parts.append(Wording.size(size)) }
        if let zoom { parts.append("\(Int((zoom * 100).rounded())) %") }
        title.show(title: window.title, subtitle: parts.joined(separator: " · "))
    }

    /// The size of the picture in pixels; `nil` until it is decoded.
    var size: (width: Int, height: Int)? { pixels }

    // MARK: Zoom

    private var fitting: Double {
        guard let pixels, scroller.width > 0, scroller.height > 0 else { return 1 }
        return min(
            Double(scroller.width) / Double(pixels.width), Double(scroller.height) / Double(pixels.height), 1)
    }

    func resize(by factor: Double) {
        guard pixels != nil else { return }
        show(zoom: (zoom ?? fitting) * factor)
    }

    func show(zoom wanted: Double) {
        guard let texture, let pixels else { return }
        let zoom = min(max(wanted, Self.zooms.lowerBound), Self.zooms.upperBound)
        self.zoom = zoom
        let isCopyEnough = zoom * Double(pixels.width) <= Double(texture.width)
        if !isCopyEnough, let tiled = original?.picture {
            tiled.align(horizontal: .center, vertical: .center)
            tiled.scale(to: zoom)
            content = tiled
            drawVisiblePart()
        } else {
            picture.align(horizontal: .center, vertical: .center)
            picture.minimumSize(
                width: Int(Double(pixels.width) * zoom), height: Int(Double(pixels.height) * zoom))
            content = picture
            if !isCopyEnough { loadWhole() }
        }
        showDetails()
    }

    /// The widget in the scrolled area.
    private var content: Widget? {
        get { shownContent }
        set {
            guard let newValue, shownContent?.isSame(as: newValue) != true else { return }
            shownContent = newValue
            scroller.show(newValue)
        }
    }

    private func drawVisiblePart() {
        if let tiled = original?.picture, content?.isSame(as: tiled) == true { tiled.showVisiblePart(of: scroller) }
    }

    func fit() {
        zoom = nil
        content = picture
        picture.minimumSize(width: -1, height: -1)
        picture.align(horizontal: .fill, vertical: .fill)
        showDetails()
    }

    private func toggleFit() { if zoom == nil { show(zoom: 1) } else { fit() } }

    // MARK: Copying and saving

    private func copyPicture() {
        loadWhole { [weak self] in
            guard let self, let texture = self.original?.texture ?? self.texture else { return }
            Clipboard.copy(texture)
            self.showToast(localized("Copied."))
        }
    }

    private func saveFile() {
        guard case .here(let path)? = download?.phase else { return }
        let name = items[index].attachment.name ?? localized("Picture")
        let showToast = showToast
        Task { [weak self] in
            guard let target = await FileChooser.save(localized("Save Picture"), name: name, over: self?.window) else {
                return
            }
            do {
                try await FileOpening.copy(path, to: target)
                showToast(localized("Saved."))
            } catch {
                showToast(localized("The file could not be saved."))
            }
        }
    }
}

extension PictureViewer.Item {
    init(_ item: SharedMediaItem) {
        self.init(message: item.id.message, index: item.index, attachment: item.attachment)
    }
}

extension Spinner {
    static func turning() -> Spinner {
        let spinner = Spinner()
        spinner.minimumSize(width: 32, height: 32)
        spinner.isSpinning = true
        return spinner
    }
}
