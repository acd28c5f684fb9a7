internal import ChatModel
internal import GTKBinding
internal import Localization

/// Who is in a room: a list that can be searched, with what can be done with each, and a way to invite somebody.
final class RoomPeopleView {
    let root: Widget
    let menus: RoomPersonMenu
    let search = SearchEntry(placeholder: localized("Search people"))
    let invite = Button(localized("_Invite somebody…"), icon: "contact-new-symbolic")
    let list: ListView<RoomPersonListRow>
    var say: (String) -> Void = { _ in }
    var window: () -> Window? = { nil }

    private let room: RoomModel
    private let showInvitation: (_ parent: Window?, _ say: @escaping (String) -> Void) -> Void
    private let items = ListModel<RoomPersonRow>()
    private let scroller: ScrolledWindow
    private let stack = Stack()
    private let count = Label().css("caption", "dim-label").textAlignment(0).margins(
        start: 18, end: 18, top: 2, bottom: 4)
    private var diffs: ListObservation?

    /// - Parameter invite: asks over a window who is to be invited, and shows there what came of it.
    init(
        _ room: RoomModel, _ avatars: AvatarLoader, _ menus: RoomPersonMenu,
        invite: @escaping (_ parent: Window?, _ say: @escaping (String) -> Void) -> Void
    ) {
        self.room = room
        self.menus = menus
        showInvitation = invite
        weak var view: RoomPeopleView?
        list = ListView(items, selection: .none) {
            let row = RoomPersonListRow(avatars)
            row.onMenu = { view?.showMenu($0, $1, $2, $3) }
            return row
        }
        list.activatesOnClick().css("people").accessible(label: localized("People in the room"))
        scroller = ScrolledWindow(list)
        stack.add(scroller, name: "list")
        stack.add(StatusPage(icon: "system-search-symbolic", title: localized("Nobody found")), name: "nobody")
        stack.add(
            StatusPage(
                icon: "system-users-symbolic", title: localized("You are not in this room"),
                description: localized("Who is there is seen from inside only.")), name: "outside")
        search.accessible(label: localized("Search people"))
        root = Box.vertical(
            search.margins(start: 12, end: 12, top: 8, bottom: 6), count, stack.expand(.vertical),
            self.invite.css("flat").align(horizontal: .center).margins(start: 12, end: 12, top: 6, bottom: 8))
        view = self
        search.onSearch { [weak room] in room?.search($0) }
        list.onActivate { [weak self] in self?.activated($0) }
        self.invite.onClick { [weak self] in self?.startInviting() }
        diffs = room.people.observe { [weak self] diff in self?.items.apply(diff) }
        items.show(room.people.elements)
        observe(self) { view in view.show() }
    }

    private func show() {
        let isEmpty = room.people.elements.isEmpty
        stack.shown = !room.isInside ? "outside" : isEmpty ? "nobody" : "list"
        count.text = Wording.people(room.count)
        count.isVisible = room.isInside
        search.isSensitive = room.isInside
        invite.isVisible = room.rights.mayInvite
    }

    /// Opens the menu on somebody, as a click does.
    func activated(_ index: Int) {
        guard index < items.count else { return }
        list.forEachRow { position, row in
            guard position == index else { return }
            showMenu(items[index], row.root, Double(row.root.width) / 3, Double(row.root.height))
        }
    }

    private func showMenu(_ row: RoomPersonRow, _ widget: Widget, _ x: Double, _ y: Double) {
        // Long ago bound, the person may have got another standing since.
        guard let current = room.people[row.id], let menu = menus.menu(for: current.person),
            let place = widget.translate(x: x, y: y, to: scroller)
        else { return }
        scroller.insert(menu.actions, prefix: "person")
        Popover(menu.menu).open(at: place.x, place.y, of: scroller)
    }

    func startInviting() {
        showInvitation(window()) { [weak self] in self?.say($0) }
    }
}
