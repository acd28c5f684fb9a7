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
