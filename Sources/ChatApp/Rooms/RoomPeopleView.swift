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

/// One line of the list of people: who, whether somebody is there, and what this person is in the room.
final class RoomPersonListRow: ListRow {
    let root: Widget
    private(set) var row: RoomPersonRow?
    /// Asked for a menu at a place of the row.
    var onMenu: (RoomPersonRow, Widget, Double, Double) -> Void = { _, _, _, _ in }

    private let picture: PersonPicture
    private let name = Label().ellipsize().textAlignment(0).css("conversation-title")
    private let hats = Box.horizontal(spacing: 4)
    private let line = Label().ellipsize().textAlignment(0).css("caption", "dim-label")
    private let standing = Label().css("caption", "dim-label").align(vertical: .center)
    private var shownHats: [String] = []

    /// More would leave no room for the name.
    private static let hatLimit = 2
    private static let hatLength = 12

    init(_ avatars: AvatarLoader) {
        picture = PersonPicture(avatars, size: 36)
        let upper = Box.horizontal(spacing: 6, name, hats)
        let words = Box.vertical(spacing: 1, upper, line).expand(.horizontal).align(vertical: .center)
        root = Box.horizontal(spacing: 12, picture.widget.align(vertical: .center), words, standing)
            .margins(horizontal: 10, vertical: 6)
        root.onMenu { [weak self] x, y in
            if let self, let row = self.row { self.onMenu(row, self.root, x, y) }
        }
    }

    func show(_ item: RoomPersonRow) {
        row = item
        let person = item.person
        picture.show(name: item.nickname, hash: item.avatarHash)
        name.text = item.nickname
        line.text = RoomWords.line(person)
        let place = Wording.standing(person)
        standing.text = place ?? ""
        standing.isVisible = place != nil
        // Who is not looking is there all the same, only paler.
        picture.widget.css("dim-label", person.availability != .online)
        show(hats: person.hats)
        root.accessible(label: RoomWords.spoken(person))
    }

    private func show(hats titles: [String]) {
        guard titles != shownHats else { return }
        shownHats = titles
        hats.removeAll()
        for title in titles.prefix(Self.hatLimit) {
            let hat = Label(title).ellipsize().characters(maximum: Self.hatLength).css("hat")
            hats.append(title.count > Self.hatLength ? hat.tip(title) : hat)
        }
    }
}
