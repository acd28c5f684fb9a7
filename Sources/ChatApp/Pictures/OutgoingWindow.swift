internal import ChatModel
internal import GTKBinding
internal import Localization

/// The preview of pictures and files before they are sent: content, size and quality.
final class OutgoingWindow {
    let selection = OutgoingSelection()
    var onSend: (OutgoingSelection) -> Void = { _ in }
    var onClosed: () -> Void = {}
    private let window: Window
    private let list = Box(.vertical).css("card")
    private let qualities = Box.vertical(spacing: 2)
    private let quality: [(value: PictureChoice.Quality, button: CheckButton, size: Label)]
    let send: Button
    private let spinner = Spinner()
    private let refused = Label().css("error").wrap().textAlignment(0)
    private var rows: [Int: OutgoingRow] = [:]

    init(over parent: Window?) {
        let small = CheckButton(localized("Small"))
        let high = CheckButton(localized("High"), inGroupOf: small)
        let original = CheckButton(localized("Original"), inGroupOf: small)
        quality = [(.small, small), (.high, high), (.original, original)].map { value, button in
            (value, button, Label().css("dim-label", "numeric"))
        }
        send = Button(localized("_Send")).css("suggested-action")
        let cancel = Button(localized("_Cancel"))
        let bar = HeaderBar(title: HeaderBar.title(localized("Send files")))
        bar.showsWindowButtons(start: false, end: false)
        bar.prepend(cancel)
        bar.append(send)
        bar.append(spinner)
        qualities.append(Label(localized("Quality of pictures")).css("heading").textAlignment(0))
        for choice in quality {
            qualities.append(Box.horizontal(spacing: 8, choice.button.expand(.horizontal), choice.size))
        }
        let content = Box.vertical(
            spacing: 12, list, refused, qualities,
            Label(localized("Pictures are sent without the place and other hidden notes.")).css("dim-label", "caption")
                .wrap().textAlignment(0)
        ).margins(horizontal: 12, vertical: 12)
        let scroller = ScrolledWindow(Clamp(content, maximumWidth: 560)).expand(.vertical)
        window = Window(
            localized("Send files"), width: 460, height: 520, over: parent, Box.vertical(bar, scroller))
        window.isModal(true)
        window.closesOnEscape()
        window.setDefault(send)
        cancel.onClick { [weak self] in self?.close() }
        send.onClick { [weak self] in self?.sendAll() }
        for (value, button, _) in quality {
            button.onToggle { [weak self] isActive in if isActive { self?.selection.quality = value } }
        }
        window.onCloseRequest { [weak self] in
            self?.onClosed()
            return false
        }
        observe(self) { view in view.show() }
    }

    func present() { window.present() }

    func close() { window.close() }

    /// For tests and screenshots.
    var shownWindow: Window { window }

    private func sendAll() {
        guard !selection.items.isEmpty, !selection.isPreparing else { return }
        onSend(selection)
        close()
    }

    private func show() {
        let items = selection.items
        for (id, row) in rows where !items.contains(where: { $0.id == id }) {
            list.remove(row.root)
            rows[id] = nil
        }
        for item in items {
            let row: OutgoingRow
            if let known = rows[item.id] {
                row = known
            } else {
                row = OutgoingRow(item)
                row.onRemove = { [weak self] in self?.selection.remove(item.id) }
                rows[item.id] = row
                list.append(row.root)
            }
            row.show(item, selection.quality, isAlone: items.count == 1)
        }
        list.isVisible = !items.isEmpty
        spinner.isSpinning = selection.isPreparing
        spinner.isVisible = selection.isPreparing
        send.isSensitive = !items.isEmpty && !selection.isPreparing
        qualities.isVisible = selection.hasPictures
        for (value, button, label) in quality {
            label.text = Wording.size(Int64(selection.byteCount(in: value)))
            button.accessible(description: label.text)
            if selection.quality == value, !button.isActive { button.isActive = true }
        }
        refused.isVisible = !selection.refused.isEmpty
        refused.text =
            selection.refused.isEmpty
            ? "" : localized("These cannot be sent: %@", selection.refused.joined(separator: ", "))
    }
}

/// One file of the preview.
final class OutgoingRow {
    let root: Widget
    var onRemove: () -> Void = {}
    private let details = Label().css("dim-label", "caption").textAlignment(0)
    private let picture: PictureWidget?

    /// The side in pixels of a single picture, and of one of several.
    private static let (large, small) = (220, 56)

    init(_ item: OutgoingSelection.Item) {
        let name = Label(item.name).ellipsize(inMiddle: true).textAlignment(0)
        let remove = Button(icon: "user-trash-symbolic").css("flat", "circular").align(vertical: .center)
        remove.named(localized("Do not send %@", item.name))
        let texts = Box.vertical(name, details).expand(.horizontal).align(vertical: .center)
        if let choice = item.picture {
            let picture = PictureWidget()
            if let preview = choice.preview { Task { picture.show(await Texture.decoded(preview.bytes)) } }
            picture.show(alternative: localized("Picture: %@", item.name))
            picture.css("photo").clipped()
            self.picture = picture
            root = Box.horizontal(spacing: 12, picture, texts, remove).margins(horizontal: 10, vertical: 8)
        } else {
            picture = nil
            let icon = Icon("text-x-generic-symbolic", size: 32).minimumSize(width: Self.small, height: Self.small)
            root = Box.horizontal(spacing: 12, icon, texts, remove).margins(horizontal: 10, vertical: 8)
        }
        remove.onClick { [weak self] in self?.onRemove() }
    }

    func show(_ item: OutgoingSelection.Item, _ quality: PictureChoice.Quality, isAlone: Bool) {
        let bytes = Int64(item.picture?.byteCount(in: quality) ?? item.byteCount)
        if let picture = item.picture?.picture {
            details.text = "\(picture.width) × \(picture.height), \(Wording.size(bytes))"
        } else {
            details.text = Wording.size(bytes)
        }
        let side = isAlone ? Self.large : Self.small
        picture?.minimumSize(width: side, height: side)
        picture?.covers(!isAlone)
    }
}
