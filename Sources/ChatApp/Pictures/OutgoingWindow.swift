internal import ChatModel
internal import GTKBinding
internal import Localization

/// The preview of pictures and files before they are sent: content, order, size, quality and a caption.
///
/// The caption has the focus. Return sends and Shift+Return inserts a line break, or as the user has chosen for the input
/// field.
final class OutgoingWindow {
    let selection = OutgoingSelection()
    let caption = TextView()
    var onSend: (OutgoingSelection, _ caption: String) -> Void = { _, _ in }
    /// Called when it was closed, with the caption if nothing was sent.
    var onClosed: (_ unsent: String?) -> Void = { _ in }
    private let window: Window
    private let list = Box(.vertical).css("card")
    private let qualities = Box.vertical(spacing: 2)
    private let quality: [(value: PictureChoice.Quality, button: CheckButton, size: Label)]
    let send: Button
    private let spinner = Spinner()
    private let refused = Label().css("error").wrap().textAlignment(0)
    private let metadata = Label(localized("Pictures are sent without location and other metadata.")).css(
        "dim-label", "caption"
    ).wrap().textAlignment(0)
    private let placeholder = Label(localized("Add a caption…")).css("dim-label").textAlignment(0).ellipsize()
    private var isSent = false
    private(set) var rows: [Int: OutgoingRow] = [:]

    /// In pixels; a longer caption scrolls.
    private static let captionHeight = 120

    /// Whether Return sends; otherwise Ctrl+Return does.
    private let sendsWithReturn: () -> Bool

    /// - Parameter text: the beginning of the caption.
    init(over parent: Window?, caption text: String = "", sendsWithReturn: @escaping () -> Bool = { true }) {
        self.sendsWithReturn = sendsWithReturn
        let small = CheckButton(localized("Small"))
        let high = CheckButton(localized("High"), inGroupOf: small)
        let original = CheckButton(localized("Original"), inGroupOf: small)
        quality = [(.small, small), (.high, high), (.original, original)].map { value, button in
            (value, button, Label().css("dim-label", "numeric"))
        }
        send = Button(localized("_Send")).css("suggested-action")
        let cancel = Button(localized("_Cancel"))
        let bar = HeaderBar(title: HeaderBar.title(localized("Send Files")))
        bar.showsWindowButtons(start: false, end: false)
        bar.prepend(cancel)
        bar.append(send)
        bar.append(spinner)
        qualities.append(Label(localized("Quality of Pictures")).css("heading").textAlignment(0))
        for choice in quality {
            qualities.append(Box.horizontal(spacing: 8, choice.button.expand(.horizontal), choice.size))
        }
        let content = Box.vertical(
            spacing: 12, list, refused, qualities, metadata
        ).margins(horizontal: 12, vertical: 12)
        let scroller = ScrolledWindow(Clamp(content, maximumWidth: 560)).expand(.vertical)
        caption.padding(horizontal: 4, vertical: 9).accessible(label: localized("Caption"))
        placeholder.margins(start: 5, top: 9).align(horizontal: .start, vertical: .start).targetable(false)
        let field = Box.horizontal(
            Overlay(
                ScrolledWindow(caption).growsWithContent(upTo: Self.captionHeight).expand(.horizontal), placeholder
            ).expand(.horizontal)
        ).css("entry-box").margins(horizontal: 12, vertical: 8)
        window = Window(
            localized("Send Files"), width: 460, height: 520, over: parent,
            Box.vertical(bar, scroller, Separator(.horizontal), field))
        caption.text = text
        window.isModal(true)
        window.closesOnEscape()
        window.setDefault(send)
        cancel.onClick { [weak self] in self?.close() }
        send.onClick { [weak self] in self?.sendAll() }
        for (value, button, _) in quality {
            button.onToggle { [weak self] isActive in if isActive { self?.selection.quality = value } }
        }
        window.onCloseRequest { [weak self] in
            if let self { self.onClosed(self.isSent ? nil : self.caption.text) }
            return false
        }
        caption.onChange { [weak self] _ in self?.showPlaceholder() }
        caption.onComposing { [weak self] in self?.showPlaceholder() }
        caption.onKey { [weak self] in self?.pressed($0) ?? false }
        showPlaceholder()
        observe(self) { view in view.show() }
    }

    func present() {
        window.present()
        caption.cursor = caption.text.unicodeScalars.count
        caption.grabFocus()
    }

    private func showPlaceholder() { placeholder.isVisible = caption.text.isEmpty && !caption.isComposing }

    /// Handles a key before the caption does.
    func pressed(_ press: KeyPress) -> Bool {
        guard !caption.isComposing, press.key == .enter,
            ComposerView.sends(press.modifiers, withReturn: sendsWithReturn())
        else { return false }
        sendAll()
        return true
    }

    func close() { window.close() }

    /// For tests and screenshots.
    var shownWindow: Window { window }

    private func sendAll() {
        guard !selection.items.isEmpty, !selection.isPreparing else { return }
        guard !MessageLength.isExceeded(by: caption.text) else {
            refused.text = MessageLength.explanation
            refused.isVisible = true
            return
        }
        isSent = true
        onSend(selection, caption.text)
        close()
    }

    private func show() {
        let items = selection.items
        for (id, row) in rows where !items.contains(where: { $0.id == id }) {
            list.remove(row.root)
            rows[id] = nil
        }
        var previous: OutgoingRow?
        for (index, item) in items.enumerated() {
            let row: OutgoingRow
            if let known = rows[item.id] {
                row = known
                list.move(row.root, after: previous?.root)
            } else {
                row = OutgoingRow(item)
                row.onRemove = { [weak self] in self?.selection.remove(item.id) }
                row.onMove = { [weak self] in self?.selection.move(item.id, by: $0) }
                rows[item.id] = row
                list.insert(row.root, after: previous?.root)
            }
            row.show(item, selection.quality, index: index, of: items.count)
            previous = row
        }
        list.isVisible = !items.isEmpty
        spinner.isSpinning = selection.isPreparing
        spinner.isVisible = selection.isPreparing
        send.isSensitive = !items.isEmpty && !selection.isPreparing
        qualities.isVisible = selection.hasPictures
        metadata.isVisible = selection.hasPictures
        for (value, button, label) in quality {
            label.text = Wording.size(Int64(selection.byteCount(in: value)))
            button.accessible(description: label.text)
            if selection.quality == value, !button.isActive { button.isActive = true }
        }
        refused.isVisible = !selection.refused.isEmpty
        refused.text =
            selection.refused.isEmpty
            ? "" : localized("These files cannot be sent: %@", selection.refused.joined(separator: localized(", ")))
    }
}

/// One file of the preview.
final class OutgoingRow {
    let root: Box
    var onRemove: () -> Void = {}
    /// Called to move it in the order, by a number of places.
    var onMove: (Int) -> Void = { _ in }
    let earlier = Button(icon: "go-up-symbolic").css("flat", "circular").align(vertical: .center)
    let later = Button(icon: "go-down-symbolic").css("flat", "circular").align(vertical: .center)
    private let details = Label().css("dim-label", "caption").textAlignment(0)
    let picture: PictureWidget?
    /// Keeps the picture from becoming wider than its proportions allow.
    private let place: Clamp?

    /// In pixels: a single picture at most, and the side of one of several.
    private static let (largeWidth, largeHeight, small) = (400, 240, 56)

    init(_ item: OutgoingSelection.Item) {
        let name = Label(item.name).ellipsize(inMiddle: true).textAlignment(0)
        let remove = Button(icon: "user-trash-symbolic").css("flat", "circular").align(vertical: .center)
        remove.named(localized("Do not send %@", item.name))
        earlier.named(localized("Send %@ earlier", item.name))
        later.named(localized("Send %@ later", item.name))
        let texts = Box.vertical(name, details).expand(.horizontal).align(vertical: .center)
        let line = Box.horizontal(spacing: 6, texts, earlier, later, remove)
        if let preview = item.picture?.preview ?? item.video?.still {
            let picture = PictureWidget()
            Task { picture.show(await Texture.decoded(preview.bytes)) }
            picture.show(
                alternative: item.video == nil
                    ? localized("Picture: %@", item.name) : localized("Video: %@", item.name))
            picture.css("photo").clipped()
            let place = Clamp(picture, maximumWidth: Self.largeWidth).align(horizontal: .center, vertical: .center)
            (self.picture, self.place) = (picture, place)
            root = Box(.horizontal, spacing: 10, [place, line.expand(.horizontal)])
        } else {
            (picture, place) = (nil, nil)
            let icon = Icon("text-x-generic-symbolic", size: 32).minimumSize(width: Self.small, height: Self.small)
            root = Box(.horizontal, spacing: 10, [icon, line.expand(.horizontal)])
        }
        root.margins(horizontal: 10, vertical: 8)
        remove.onClick { [weak self] in self?.onRemove() }
        earlier.onClick { [weak self] in self?.onMove(-1) }
        later.onClick { [weak self] in self?.onMove(1) }
    }

    /// - Parameter index: its place among `count` files.
    func show(_ item: OutgoingSelection.Item, _ quality: PictureChoice.Quality, index: Int, of count: Int) {
        let bytes = Int64(item.picture?.byteCount(in: quality) ?? item.byteCount)
        let isAlone = count == 1
        earlier.isVisible = !isAlone
        later.isVisible = !isAlone
        earlier.isSensitive = index > 0
        later.isSensitive = index + 1 < count
        guard
            let (width, height) = item.picture?.picture.map({ ($0.width, $0.height) })
                ?? item.video.map({ ($0.width, $0.height) })
        else {
            details.text = Wording.size(bytes)
            return
        }
        details.text = "\(width) × \(height), \(Wording.size(bytes))"
        if let video = item.video, video.duration > .zero { details.text += ", " + Wording.length(video.duration) }
        root.turn(isAlone ? .vertical : .horizontal)
        // A single picture has its own proportions, without bars.
        let scale = min(
            1, Double(Self.largeWidth) / Double(width), Double(Self.largeHeight) / Double(height))
        let shown =
            isAlone
            ? (width: Int(Double(width) * scale), height: Int(Double(height) * scale))
            : (width: Self.small, height: Self.small)
        picture?.minimumSize(width: shown.width, height: shown.height)
        place?.limit(width: shown.width)
        picture?.covers()
    }
}
