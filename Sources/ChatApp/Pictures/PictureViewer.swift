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

    /// Shows the message of the picture in the conversation.
    var onShowInConversation: ((MessageID) -> Void)? {
        didSet { showMessage.isVisible = onShowInConversation != nil }
    }

    /// Open windows, which nothing else holds.
    private(set) static var open: [ObjectIdentifier: PictureViewer] = [:]

    let window: Window
    let pages: PicturePages
    let picture = ZoomablePicture()
    private let downloads: AttachmentDownloads
    private let showToast: (String) -> Void
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
    private var download: AttachmentDownload?
    private var following: ViewObservation?

    init(
        _ items: [Item], at index: Int, downloads: AttachmentDownloads, over parent: Window?,
        showToast: @escaping (String) -> Void = { _ in }
    ) {
        pages = PicturePages(items, at: index)
        self.downloads = downloads
        self.showToast = showToast
        let bar = HeaderBar(title: title)
        let smaller = Button(icon: "zoom-out-symbolic")
        let larger = Button(icon: "zoom-in-symbolic")
        for button in [smaller, larger] { bar.prepend(button) }
        for button in [save, copy, showMessage] { bar.append(button) }
        let waiting = Box.vertical(spacing: 12, Spinner.turning(), progress).align(
            horizontal: .center, vertical: .center)
        progress.minimumSize(width: 200)
        stack.add(picture.root.expand(.horizontal, .vertical), name: "picture")
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
        smaller.onClick { [weak self] in self?.picture.resize(by: -1) }
        larger.onClick { [weak self] in self?.picture.resize(by: 1) }
        save.onClick { [weak self] in self?.saveFile() }
        copy.onClick { [weak self] in self?.copyPicture() }
        showMessage.onClick { [weak self] in self?.leave() }
        previous.onClick { [weak self] in self?.move(-1) }
        next.onClick { [weak self] in self?.move(1) }
        retry.onClick { [weak self] in self?.download?.start() }
        window.onKey { [weak self] in self?.pressed($0) ?? false }
        window.onActive { [weak self] isActive in if isActive { self?.picture.wake() } }
        window.onCloseRequest { [weak self] in
            self?.closed()
            return false
        }
        picture.onChange = { [weak self] in self?.showDetails() }
        pages.onOlder = { [weak self] in
            self?.previous.isVisible = true
            self?.showDetails()
        }
        showItem()
    }

    func present() {
        Self.open[ObjectIdentifier(self)] = self
        window.present()
    }

    private func closed() {
        picture.close()
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
        case .home: move(-pages.items.count)
        case .end: move(pages.items.count)
        default:
            switch (key, press.modifiers.contains(.control)) {
            case ("+", _), ("=", _): picture.resize(by: 1)
            case ("-", _): picture.resize(by: -1)
            case ("0", _): picture.fit()
            case ("1", _): picture.show(zoom: 1)
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
        guard pages.move(count) else { return }
        showItem()
        pages.reachedOldest()
    }

    private func leave() {
        guard let message = pages.current?.message else { return }
        let show = onShowInConversation
        window.close()
        show?(message)
    }

    private func showItem() {
        guard let item = pages.current else { return }
        let name = item.attachment.name ?? localized("Picture")
        picture.clear(alternative: name)
        if let thumbnail = item.attachment.thumbnail { picture.showPlaceholder(thumbnail) }
        window.title = name
        retry.isVisible = true
        previous.isVisible = pages.hasOlder
        next.isVisible = pages.hasNewer
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

    private func show(_ phase: AttachmentDownload.Phase) {
        save.isSensitive = false
        copy.isSensitive = picture.size != nil
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

    private func load(_ path: String) {
        let isAnimated = PictureMotion.mayMove(pages.current?.attachment.mediaType)
        picture.load(path, isAnimated: isAnimated) { [weak self] isPicture in
            guard let self else { return }
            guard isPicture else {
                self.retry.isVisible = false
                return self.fail(localized("This picture cannot be shown"))
            }
            self.copy.isSensitive = true
            self.stack.shown = "picture"
        }
    }

    private func showDetails() {
        var parts: [String] = []
        if pages.items.count > 1 { parts.append(localized("%@ of %@", pages.index + 1, pages.items.count)) }
        if let size = picture.size { parts.append("\(size.width) × \(size.height)") }
        if let size = pages.current?.attachment.size { parts.append(Wording.size(size)) }
        if let zoom = picture.zoom { parts.append("\(Int((zoom * 100).rounded())) %") }
        title.show(title: window.title, subtitle: parts.joined(separator: " · "))
    }

    // MARK: Copying and saving

    private func copyPicture() {
        picture.whole { [showToast] texture in
            Clipboard.copy(texture)
            showToast(localized("Copied."))
        }
    }

    private func saveFile() {
        guard let download, case .here = download.phase else { return }
        FileOpening.save(download, title: localized("Save Picture"), over: window, showToast: showToast)
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
