internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// Gives the views of shared media their models and actions.
struct SharedMediaSource {
    let key: ConversationKey
    let playback: VoicePlayback
    /// The main window.
    let window: WindowContext
    /// Creates a model for some kinds of media with a page size.
    let model: (Set<Attachment.Kind>, Int) -> SharedMediaModel
    /// Looks up the account's upload servers; run before files are shown.
    let prepareDownloads: () async -> Void
    /// `nil` when the media of the account cannot be stored.
    let downloads: () -> AttachmentDownloads?
    /// Opens the conversation at a message.
    let showMessage: (MessageID) -> Void
}

/// The actions on the shared media of a conversation.
final class SharedMediaActions {
    let source: SharedMediaSource
    var window: () -> Window? = { nil }
    var showToast: (String) -> Void
    /// Called when the user goes to the conversation; windows in front of it close.
    var onLeave: () -> Void = {}

    init(_ source: SharedMediaSource) {
        self.source = source
        showToast = source.window.showToast
    }

    func model(_ kinds: Set<Attachment.Kind>, pageSize: Int = SharedMediaModel.standardPageSize) -> SharedMediaModel {
        source.model(kinds, pageSize)
    }

    /// The download of a file; `nil` when the media of the account cannot be stored.
    func download(of item: SharedMediaItem) -> AttachmentDownload? {
        source.downloads()?.download(of: item.id.message, at: item.index, attachment: item.attachment)
    }

    /// Opens a file with the desktop's default program, and downloads it first if necessary.
    func open(_ item: SharedMediaItem) {
        guard let download = download(of: item) else { return }
        Task { [window, showToast] in
            await download.look()
            if case .here(let path) = download.phase {
                FileOpening.open(path, item.attachment, over: window(), showToast: showToast)
            } else {
                download.start()
            }
        }
    }

    /// Shows a picture in the viewer, which loads older ones on demand.
    @discardableResult
    func open(_ item: SharedMediaItem, among pictures: SharedMediaModel) -> PictureViewer? {
        guard let downloads = source.downloads() else { return nil }
        let items = pictures.items.elements.reversed().map(PictureViewer.Item.init)
        let index = items.firstIndex { $0.id == item.id } ?? max(0, items.count - 1)
        guard !items.isEmpty else { return nil }
        let viewer = PictureViewer(items, at: index, downloads: downloads, over: window(), showToast: showToast)
        viewer.pages.loadOlder = { [weak pictures] oldest in
            guard let pictures else { return [] }
            if pictures.items.elements.last?.id == oldest.id { await pictures.loadMore() }
            guard let index = pictures.items.index(of: oldest.id) else { return [] }
            return pictures.items.elements[(index + 1)...].reversed().map(PictureViewer.Item.init)
        }
        viewer.onShowInConversation = { [weak self] in self?.showInConversation($0) }
        viewer.present()
        return viewer
    }

    func save(_ item: SharedMediaItem) {
        if let download = download(of: item) { FileOpening.save(download, over: window(), showToast: showToast) }
    }

    func showInConversation(_ message: MessageID) {
        source.showMessage(message)
        onLeave()
    }

    /// Opens the menu of an item at a point of its widget.
    ///
    /// - Parameter parent: the widget that the menu is attached to, which outlives the row.
    @discardableResult
    func showMenu(
        of item: SharedMediaItem, at widget: Widget, _ x: Double, _ y: Double, in parent: Widget, open: (() -> Void)?
    ) -> Popover? {
        guard let position = widget.translate(x: x, y: y, to: parent) else { return nil }
        let (menu, actions) = menu(of: item, open: open)
        parent.insert(actions, prefix: "media")
        let popover = Popover(menu)
        popover.open(at: position.x, position.y, of: parent)
        return popover
    }

    /// The menu of an item.
    ///
    /// - Parameter open: opens the item; `nil` for voice messages, which play in position.
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
        entries.append(.item(localized("Save As…"), "media.save"))
        entries.append(.item(localized("Show in Conversation"), "media.show"))
        return (Menu(entries), actions)
    }
}
