internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The list of all voice messages, or of all other files, of a conversation, newest first. Older ones are loaded while
/// scrolling.
final class SharedFilesView {
    let root: Widget
    let list: ListView<SharedFileRow>
    let model: SharedMediaModel

    private let actions: SharedMediaActions
    private let rows = ListModel<SharedMediaItem>()
    private let scroller: ScrolledWindow
    private let pane: SharedMediaPane
    private var diffs: ListObservation?

    /// - Parameter name: the name of the list for screen readers.
    init(_ actions: SharedMediaActions, _ kinds: Set<Attachment.Kind>, name: String, empty: StatusPage) {
        self.actions = actions
        model = actions.model(kinds)
        weak var view: SharedFilesView?
        list = ListView(rows, selection: .none) {
            let row = SharedFileRow(actions)
            row.onMenu = { view?.showMenu($0, $1, $2, $3) }
            return row
        }
        list.css("shared-files").accessible(label: name)
        scroller = ScrolledWindow(list).expand(.vertical, .horizontal)
        pane = SharedMediaPane(model, scroller, empty: empty)
        root = pane.root
        view = self
        list.onActivate { [weak self] in self?.row($0)?.activate() }
        list.onKey(.bubble) { [weak self] in $0.asksForMenu && self?.showMenuOfFocused() == true }
        diffs = model.items.observe { [weak self] in self?.rows.apply($0) }
    }

    static func voice(_ actions: SharedMediaActions) -> SharedFilesView {
        SharedFilesView(
            actions, [.voice], name: localized("Voice messages"),
            empty: StatusPage(
                icon: "audio-input-microphone-symbolic", title: localized("No Voice Messages Yet"),
                description: localized("Voice messages that are sent in this conversation are found here.")))
    }

    static func files(_ actions: SharedMediaActions) -> SharedFilesView {
        SharedFilesView(
            actions, [.file, .video], name: localized("Files"),
            empty: StatusPage(
                icon: "folder-documents-symbolic", title: localized("No Files Yet"),
                description: localized("Videos and other files that are sent in this conversation are found here.")))
    }

    func close() {
        pane.close()
        diffs = nil
    }

    /// The name of the visible page of the stack.
    var page: String? { pane.page }

    func row(_ index: Int) -> SharedFileRow? {
        var found: SharedFileRow?
        list.forEachRow { if $0 == index { found = $1 } }
        return found
    }

    private func showMenuOfFocused() -> Bool { list.focused.flatMap(showMenu(of:)) != nil }

    /// Opens the menu of a row; `nil` if the row is not visible.
    @discardableResult
    func showMenu(of index: Int) -> Popover? {
        guard rows.items.indices.contains(index), let root = row(index)?.root else { return nil }
        return showMenu(rows[index], root, Double(root.width) / 2, Double(root.height) / 2)
    }

    @discardableResult
    private func showMenu(_ item: SharedMediaItem, _ widget: Widget, _ x: Double, _ y: Double) -> Popover? {
        let opening: (() -> Void)? = item.attachment.kind == .voice ? nil : { [actions] in actions.open(item) }
        return actions.showMenu(of: item, at: widget, x, y, in: scroller, open: opening)
    }
}

/// One row of the list: sender, time, the file or voice message as in the timeline, and a menu.
final class SharedFileRow: ListRow {
    let root: Widget
    private(set) var item: SharedMediaItem?
    private(set) var view: (any AttachmentView)?
    private(set) var accessibleText: String?
    var onMenu: (SharedMediaItem, Widget, Double, Double) -> Void = { _, _, _, _ in }

    private let actions: SharedMediaActions
    private let sender = Label().ellipsize().characters(maximum: 24).textAlignment(0).css("caption-heading")
    private let time = Label().css("dim-label", "caption")
    private let container = Bin().expand(.horizontal).css("shared-file")
    private let more = Button(icon: "view-more-symbolic").css("flat", "circular", "contact-more").align(
        vertical: .center)

    /// In characters.
    private static let maximumNameLength = 60

    init(_ actions: SharedMediaActions) {
        self.actions = actions
        let line = Box.horizontal(spacing: 8, sender, time.align(vertical: .baseline))
        let column = Box.vertical(spacing: 4, line, container).expand(.horizontal)
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
        let isOther = self.item.map { !Self.isSameRow($0, item) } ?? true
        self.item = item
        sender.text = SharedMediaText.sender(item)
        time.text = Wording.short(item.message.time)
        accessibleText = SharedMediaText.accessibilityText(item)
        more.named(localized("Actions for %@", item.attachment.name ?? SharedMediaText.sender(item)))
        if isOther { showFile(item) }
    }

    /// The player shows the playback position. Of the message, only whether it was played matters here.
    private static func isSameRow(_ old: SharedMediaItem, _ new: SharedMediaItem) -> Bool {
        var (left, right) = (old.attachment, new.attachment)
        if left.playback != nil, right.playback != nil { right.playback = left.playback }
        left.thumbnail = right.thumbnail
        return old.id == new.id && left == right && old.message.state == new.message.state
    }

    private func showFile(_ item: SharedMediaItem) {
        view?.clear()
        let hadFocus = container.containsFocus
        let context = AttachmentContext(
            message: item.message, index: item.index, attachment: item.attachment,
            playback: actions.source.playback, download: actions.download(of: item),
            open: { [actions] _, _ in actions.open(item) }, showToast: { [actions] in actions.showToast($0) })
        let view: any AttachmentView =
            item.attachment.kind == .voice ? VoiceView(context) : FileView(context, characters: Self.maximumNameLength)
        self.view = view
        container.show(view.root)
        if hadFocus { focus() }
    }

    /// Focuses the button that opens or plays the file.
    private func focus() { ((view as? VoiceView)?.button ?? view?.root)?.grabFocus() }

    /// Opens or plays the file, as a click does.
    func activate() {
        if let voice = view as? VoiceView { voice.button.click() } else if let item { actions.open(item) }
    }

    func clear() {
        view?.clear()
        view = nil
        container.show(nil)
        item = nil
    }
}
