internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// All pictures of a conversation in a grid, the newest first; older ones are read as one gets there.
final class SharedPicturesView {
    let root: Widget
    let grid: GridView<PictureTile>
    let model: SharedMediaModel

    let wishes: SharedMediaWishes
    private let tiles = ListModel<SharedMediaItem>()
    let scroller: ScrolledWindow
    private let place: SharedMediaPlace
    private var diffs: ListObservation?

    init(_ wishes: SharedMediaWishes) {
        self.wishes = wishes
        model = wishes.model([.picture])
        weak var view: SharedPicturesView?
        grid = GridView(tiles, columns: 3...8) {
            let tile = PictureTile(wishes)
            tile.onMenu = { view?.showMenu($0, $1, $2, $3) }
            return tile
        }
        grid.activatesOnClick().css("tiles").accessible(label: localized("Pictures"))
        scroller = ScrolledWindow(grid).expand(.vertical, .horizontal)
        place = SharedMediaPlace(
            model, scroller,
            empty: StatusPage(
                icon: "image-x-generic-symbolic", title: localized("No pictures yet"),
                description: localized("Pictures that are sent in this conversation are found here.")))
        root = place.root
        view = self
        grid.onActivate { [weak self] in self?.open($0) }
        grid.onKey(.bubble) { [weak self] in $0.asksForMenu && self?.showMenuOfFocused() == true }
        diffs = model.items.observe { [weak self] in
            self?.tiles.apply($0)
            self?.wake()
        }
        place.onScroll = { [weak self] in self?.wakeNow() }
    }

    func close() {
        place.close()
        diffs = nil
    }

    /// Which of its pages is to be seen.
    var page: String? { place.page }

    /// What it shows, from the top.
    var items: [SharedMediaItem] { tiles.items }

    func open(_ index: Int) {
        if tiles.items.indices.contains(index) { wishes.open(tiles[index], among: model) }
    }

    /// Tiles have their place after the next layout.
    private func wake() {
        var frames = 0
        grid.onFrame { [weak self] in
            frames += 1
            if frames > 1 { self?.wakeNow() }
            return frames < 2
        }
    }

    private func wakeNow() { grid.forEachRow { if $1.root.isOnScreen { $1.wake() } } }

    private func showMenuOfFocused() -> Bool { grid.focused.flatMap(showMenu(of:)) != nil }

    /// Opens the menu of a picture; `nil` where it is out of sight.
    @discardableResult
    func showMenu(of index: Int) -> Popover? {
        guard tiles.items.indices.contains(index) else { return nil }
        var tile: PictureTile?
        grid.forEachRow { if $0 == index { tile = $1 } }
        guard let root = tile?.root else { return nil }
        return showMenu(tiles[index], root, Double(root.width) / 2, Double(root.height) / 2)
    }

    @discardableResult
    private func showMenu(_ item: SharedMediaItem, _ widget: Widget, _ x: Double, _ y: Double) -> Popover? {
        wishes.showMenu(of: item, at: widget, x, y, in: scroller) { [weak self] in
            if let self { self.wishes.open(item, among: self.model) }
        }
    }
}
