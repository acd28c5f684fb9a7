internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The shared media on the page of a contact or room: the newest pictures, and a button that shows all.
final class SharedMediaGroup {
    let root: PreferencesGroup
    let all = ActionRow(localized("All pictures, voice messages and files"))
    /// The newest pictures; unused tiles are empty.
    let tiles: [PictureTile]

    private let actions: SharedMediaActions
    private let pictures: SharedMediaModel
    private let anything: SharedMediaModel
    private let buttons: [Button]
    private let slots: [Bin]
    private let strip: Box
    private let title: () -> String
    private var following: Task<Void, Never>?
    private weak var everything: SharedMediaWindow?

    /// The number of tiles that fit into a narrow window.
    private static let count = 4

    /// - Parameter title: the current name of the conversation.
    init(_ source: SharedMediaSource, title: @escaping () -> String) {
        let actions = SharedMediaActions(source)
        self.actions = actions
        self.title = title
        pictures = actions.model([.picture], pageSize: Self.count)
        anything = actions.model(Set(Attachment.Kind.allCases), pageSize: 1)
        tiles = (0..<Self.count).map { _ in PictureTile(actions) }
        buttons = tiles.map { Button($0.root).css("flat", "shared-picture") }
        slots = buttons.map { Bin($0) }
        strip = Box(.horizontal, spacing: 6, slots).homogeneous().hidden()
        all.append(Icon("go-next-symbolic"))
        root = PreferencesGroup(
            localized("Shared Media"), description: nil,
            [Box.vertical(spacing: 8, strip, ListBox([all]).css("boxed-list"))])
        all.onActivate { [weak self] in self?.showAll() }
        for (tile, button) in zip(tiles, buttons) {
            button.onClick { [weak self, weak tile] in
                guard let self, let item = tile?.item else { return }
                self.actions.open(item, among: self.pictures)
            }
            tile.onMenu = { [weak self] item, widget, x, y in self?.showMenu(item, widget, x, y) }
            button.onKey(.bubble) { [weak self, weak tile] press in
                guard press.asksForMenu, let self, let tile, let item = tile.item else { return false }
                return self.showMenu(item, tile.root, Double(tile.root.width) / 2, Double(tile.root.height) / 2) != nil
            }
        }
        observe(self) { group in group.show() }
        following = Task { [pictures, anything] in
            // Needs the upload servers of the account.
            await source.prepareDownloads()
            async let other: Void = anything.run()
            await pictures.run()
            await other
        }
    }

    /// Sets the parent window, where messages are shown, and what happens when the user goes to the conversation.
    func stands(
        in window: @escaping () -> Window?, showToast: @escaping (String) -> Void, onLeave: @escaping () -> Void
    ) {
        actions.window = window
        actions.showToast = showToast
        actions.onLeave = onLeave
    }

    /// Opens the window with all shared media.
    @discardableResult
    func showAll() -> SharedMediaWindow {
        let window = SharedMediaWindow.show(actions.source, title: title(), over: actions.window()) {
            [weak self] in self?.actions.onLeave()
        }
        everything = window
        return window
    }

    /// Stops following the conversation, and closes the windows opened from here.
    func close() {
        everything?.window.close()
        following?.cancel()
        following = nil
    }

    @discardableResult
    func showMenu(_ item: SharedMediaItem, _ widget: Widget, _ x: Double, _ y: Double) -> Popover? {
        actions.showMenu(of: item, at: widget, x, y, in: root) { [weak self] in
            if let self { self.actions.open(item, among: self.pictures) }
        }
    }

    private func show() {
        let items = pictures.items.elements.prefix(Self.count)
        strip.isVisible = !items.isEmpty
        for (index, tile) in tiles.enumerated() {
            guard items.indices.contains(index) else {
                slots[index].show(nil)
                tile.clear()
                continue
            }
            let item = items[index]
            slots[index].show(buttons[index])
            tile.show(item)
            tile.wake()
            buttons[index].accessible(label: SharedMediaText.accessibilityText(item))
        }
        let isEmpty = anything.isKnown && anything.items.elements.isEmpty
        all.show(subtitle: isEmpty ? localized("Nothing was shared in this conversation yet.") : "")
    }
}
