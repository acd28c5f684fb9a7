internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// All voice messages, or all other files, of a conversation, the newest first; older ones are read as one gets there.
final class SharedFilesView {
    let root: Widget
    let list: ListView<SharedFileRow>
    let model: SharedMediaModel

    private let wishes: SharedMediaWishes
    private let rows = ListModel<SharedMediaItem>()
    private let scroller: ScrolledWindow
    private let place: SharedMediaPlace
    private var diffs: ListObservation?

    /// - Parameter name: what the list is called by screen readers.
    init(_ wishes: SharedMediaWishes, _ kinds: Set<Attachment.Kind>, name: String, empty: StatusPage) {
        self.wishes = wishes
        model = wishes.model(kinds)
        weak var view: SharedFilesView?
        list = ListView(rows, selection: .none) {
            let row = SharedFileRow(wishes)
            row.onMenu = { view?.showMenu($0, $1, $2, $3) }
            return row
        }
        list.css("shared-files").accessible(label: name)
        scroller = ScrolledWindow(list).expand(.vertical, .horizontal)
        place = SharedMediaPlace(model, scroller, empty: empty)
        root = place.root
        view = self
        list.onActivate { [weak self] in self?.row($0)?.activate() }
        list.onKey(.bubble) { [weak self] in $0.asksForMenu && self?.showMenuOfFocused() == true }
        diffs = model.items.observe { [weak self] in self?.rows.apply($0) }
    }

    static func voice(_ wishes: SharedMediaWishes) -> SharedFilesView {
        SharedFilesView(
            wishes, [.voice], name: localized("Voice messages"),
            empty: StatusPage(
                icon: "audio-input-microphone-symbolic", title: localized("No voice messages yet"),
                description: localized("Voice messages that are sent in this conversation are found here.")))
    }

    static func files(_ wishes: SharedMediaWishes) -> SharedFilesView {
        SharedFilesView(
            wishes, [.file, .video], name: localized("Files"),
            empty: StatusPage(
                icon: "folder-documents-symbolic", title: localized("No files yet"),
                description: localized("Videos and other files that are sent in this conversation are found here.")))
    }

    func close() {
        place.close()
        diffs = nil
    }

    /// Which of its pages is to be seen.
    var page: String? { place.page }

    func row(_ index: Int) -> SharedFileRow? {
        var found: SharedFileRow?
        list.forEachRow { if $0 == index { found = $1 } }
        return found
    }

    private func showMenuOfFocused() -> Bool { list.focused.flatMap(showMenu(of:)) != nil }

    /// Opens the menu of a row; `nil` where it is out of sight.
    @discardableResult
    func showMenu(of index: Int) -> Popover? {
        guard rows.items.indices.contains(index), let root = row(index)?.root else { return nil }
        return showMenu(rows[index], root, Double(root.width) / 2, Double(root.height) / 2)
    }

    @discardableResult
    private func showMenu(_ item: SharedMediaItem, _ widget: Widget, _ x: Double, _ y: Double) -> Popover? {
        let opening: (() -> Void)? = item.attachment.kind == .voice ? nil : { [wishes] in wishes.open(item) }
        return wishes.showMenu(of: item, at: widget, x, y, in: scroller, open: opening)
    }
}

/// A voice message or file among others: from whom and when, itself as the conversation shows it, and what can be done with it.
final class SharedFileRow: ListRow {
    let root: Widget
    private(set) var item: SharedMediaItem?
    private(set) var view: (any AttachmentView)?
    var onMenu: (SharedMediaItem, Widget, Double, Double) -> Void = { _, _, _, _ in }

    private let wishes: SharedMediaWishes
    private let sender = Label().ellipsize().characters(maximum: 24).textAlignment(0).css("caption-heading")
    private let time = Label().css("dim-label", "caption")
    private let place = Bin().expand(.horizontal).css("shared-file")
    private let more = Button(icon: "view-more-symbolic").css("flat", "circular", "contact-more").align(
        vertical: .center)

    /// So many characters of a file's name are shown where there is room.
    private static let widestName = 60

    init(_ wishes: SharedMediaWishes) {
        self.wishes = wishes
        let line = Box.horizontal(spacing: 8, sender, time.align(vertical: .baseline))
        let column = Box.vertical(spacing: 4, line, place).expand(.horizontal)
        root = Box.horizontal(spacing: 6, column, more).margins(horizontal: 10, vertical: 6)
        time.tip(whenAsked: { [weak self] in self?.item.map { Wording.full($0.message.time) } })
        root.onMenu { [weak self] x, y in
            if let self, let item = self.item { self.onMenu(item, self.root, x, y) }
        }
        more.onClick { [weak self] in
            guard let self, let item = self.item else { return }
            self.onMenu(item, self.more, Double(self.more.width) / 2, Double(self.more.height))
        }
    }

    func show(_ item: SharedMediaItem) {
        let isOther = self.item.map { !Self.looksAlike($0, item) } ?? true
        self.item = item
        sender.text = SharedMediaWords.sender(item)
        time.text = Wording.short(item.message.time)
        root.accessible(label: SharedMediaWords.spoken(item))
        more.named(localized("What can be done with %@", item.attachment.name ?? SharedMediaWords.sender(item)))
        if isOther { showFile(item) }
    }

    /// How far a voice message was played is said by who plays it; only whether it was played at all stands in the message.
    private static func looksAlike(_ old: SharedMediaItem, _ new: SharedMediaItem) -> Bool {
        var (left, right) = (old.attachment, new.attachment)
        if left.playback != nil, right.playback != nil { right.playback = left.playback }
        left.thumbnail = right.thumbnail
        return old.id == new.id && left == right && old.message.state == new.message.state
    }

    private func showFile(_ item: SharedMediaItem) {
        view?.clear()
        let hadFocus = place.containsFocus
        let place = AttachmentPlace(
            message: item.message, index: item.index, attachment: item.attachment,
            playback: wishes.source.playback, download: wishes.download(of: item),
            open: { [wishes] _, _ in wishes.open(item) })
        let view: any AttachmentView =
            item.attachment.kind == .voice ? VoiceView(place) : FileView(place, characters: Self.widestName)
        self.view = view
        self.place.show(view.root)
        if hadFocus { focus() }
    }

    /// The keyboard goes to what opens or plays it.
    private func focus() { ((view as? VoiceView)?.button ?? view?.root)?.grabFocus() }

    /// As a click on it does.
    func activate() {
        if let voice = view as? VoiceView { voice.button.click() } else if let item { wishes.open(item) }
    }

    func clear() {
        view?.clear()
        view = nil
        place.show(nil)
        item = nil
    }
}
