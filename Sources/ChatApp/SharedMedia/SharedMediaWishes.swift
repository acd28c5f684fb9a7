internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// Where the shared media of a conversation come from, wherever they are shown.
struct SharedMediaSource {
    let key: ConversationKey
    let playback: VoicePlayback
    /// The main window.
    let place: WindowPlace
    /// Reads those of some kinds, so many at a time.
    let model: (Set<Attachment.Kind>, Int) -> SharedMediaModel
    /// Finds out where files are fetched from; to be done before they are shown.
    let prepareDownloads: () async -> Void
    /// `nil` where the media of the account cannot be kept.
    let downloads: () -> AttachmentDownloads?
    /// Opens the conversation at a message.
    let showMessage: (MessageID) -> Void
}

/// What a person does with the shared media of a conversation, wherever they are shown.
final class SharedMediaWishes {
    let source: SharedMediaSource
    var window: () -> Window? = { nil }
    var say: (String) -> Void
    /// The person goes to the conversation; what stands before it is in the way.
    var onLeave: () -> Void = {}

    init(_ source: SharedMediaSource) {
        self.source = source
        say = source.place.toast
    }

    func model(_ kinds: Set<Attachment.Kind>, pageSize: Int = SharedMediaModel.standardPageSize) -> SharedMediaModel {
        source.model(kinds, pageSize)
    }

    /// The file on its way; `nil` where the media of the account cannot be kept.
    func download(of item: SharedMediaItem) -> AttachmentDownload? {
        source.downloads()?.download(of: item.id.message, at: item.index, attachment: item.attachment)
    }

    /// Opens a file with the desktop's programs, or fetches it first.
    func open(_ item: SharedMediaItem) {
        guard let download = download(of: item) else { return }
        Task { [window, say] in
            await download.look()
            if case .here(let path) = download.phase {
                FileOpening.open(path, item.attachment, over: window(), say: say)
            } else {
                download.start()
            }
        }
    }

    /// Shows a picture beside the others; those that are older come as one gets there.
    @discardableResult
    func open(_ item: SharedMediaItem, among pictures: SharedMediaModel) -> PictureViewer? {
        guard let downloads = source.downloads() else { return nil }
        let items = pictures.items.elements.reversed().map(PictureViewer.Item.init)
        let index = items.firstIndex { $0.id == item.id } ?? max(0, items.count - 1)
        guard !items.isEmpty else { return nil }
        let viewer = PictureViewer(items, at: index, downloads: downloads, over: window(), say: say)
        viewer.loadOlder = { [weak pictures] oldest in
            guard let pictures else { return [] }
            if pictures.items.elements.last?.id == oldest.id { await pictures.loadMore() }
            guard let place = pictures.items.index(of: oldest.id) else { return [] }
            return pictures.items.elements[(place + 1)...].reversed().map(PictureViewer.Item.init)
        }
        viewer.onShowInConversation = { [weak self] in self?.showInConversation($0) }
        viewer.present()
        return viewer
    }

    func save(_ item: SharedMediaItem) {
        if let download = download(of: item) { FileOpening.save(download, over: window(), say: say) }
    }

    func showInConversation(_ message: MessageID) {
        source.showMessage(message)
        onLeave()
    }

    /// Opens the menu of one of them at a point of its widget.
    ///
    /// - Parameter parent: where the menu belongs to: a widget that stays while rows come and go.
    @discardableResult
    func showMenu(
        of item: SharedMediaItem, at widget: Widget, _ x: Double, _ y: Double, in parent: Widget, open: (() -> Void)?
    ) -> Popover? {
        guard let place = widget.translate(x: x, y: y, to: parent) else { return nil }
        let (menu, actions) = menu(of: item, open: open)
        parent.insert(actions, prefix: "media")
        let popover = Popover(menu)
        popover.open(at: place.x, place.y, of: parent)
        return popover
    }

    /// What can be done with one of them, by its menu.
    ///
    /// - Parameter open: how it is opened; `nil` for what is played where it stands.
    func menu(of item: SharedMediaItem, open: (() -> Void)?) -> (menu: Menu, actions: ActionGroup) {
        var entries: [Menu.Entry] = []
        let actions = ActionGroup([
            Action("save") { [weak self] in self?.save(item) },
            Action("show") { [weak self] in self?.showInConversation(item.id.message) },
        ])
        if let open {
            entries.append(.item(localized("_Open"), "media.open"))
            actions.add(Action("open", open))
        }
        entries.append(.item(localized("Save as…"), "media.save"))
        entries.append(.item(localized("Show in conversation"), "media.show"))
        return (Menu(entries), actions)
    }
}
