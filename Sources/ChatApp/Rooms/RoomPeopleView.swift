internal import ChatModel
internal import GTKBinding
internal import Localization

/// The list of people in a room: searchable, with a menu on each person and a button to invite others.
final class RoomPeopleView {
    let root: Widget
    let menus: RoomPersonMenu
    let search = SearchEntry(placeholder: localized("Search people"))
    let invite = Button(localized("_Invite…"), icon: "contact-new-symbolic")
    let list: ListView<RoomPersonListRow>
    var showToast: (String) -> Void = { _ in }
    var window: () -> Window? = { nil }

    private let room: RoomModel
    private let showInvitation: (_ parent: Window?, _ showToast: @escaping (String) -> Void) -> Void
    private let items = ListModel<RoomPersonRow>()
    private let scroller: ScrolledWindow
    private let stack = Stack()
    private let count = Label().css("caption", "dim-label").textAlignment(0).margins(
        start: 18, end: 18, top: 2, bottom: 4)
    private var diffs: ListObservation?
    /// The menu that was opened last, for tests.
    private(set) weak var menu: Popover?

    /// - Parameter invite: opens the invitation window and shows the result.
    init(
        _ room: RoomModel, _ avatars: AvatarLoader, _ menus: RoomPersonMenu,
        invite: @escaping (_ parent: Window?, _ showToast: @escaping (String) -> Void) -> Void
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
        stack.add(StatusPage(icon: "system-search-symbolic", title: localized("No One Found")), name: "nobody")
        stack.add(
            StatusPage(
                icon: "system-users-symbolic", title: localized("You Are Not in This Room"),
                description: localized("The occupants are visible only after joining.")), name: "outside")
        search.accessible(label: localized("Search people"))
        root = Box.vertical(
            search.margins(start: 12, end: 12, top: 8, bottom: 6), count, stack.expand(.vertical),
            self.invite.css("flat").align(horizontal: .center).margins(start: 12, end: 12, top: 6, bottom: 8))
        view = self
        search.onSearch { [weak room] in room?.search($0) }
        search.onStop { [weak self] in self?.stop() }
        list.onActivate { [weak self] in self?.activated($0) }
        // The focused widget is GTK's row around ours.
        list.onKey(.bubble) { [weak self] in $0.asksForMenu && self?.showMenuOfFocused() == true }
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

    private func stop() {
        if search.text.isEmpty { window()?.close() } else { search.text = "" }
    }

    /// Opens the menu of a row, as a click does.
    func activated(_ index: Int) {
        guard index < items.count else { return }
        list.forEachRow { position, row in
            guard position == index else { return }
            showMenu(items[index], row.root, Double(row.root.width) / 3, Double(row.root.height))
        }
    }

    /// Opens the menu of the focused person; `false` when nobody has the focus.
    func showMenuOfFocused() -> Bool {
        guard let index = list.focused, index < items.count else { return false }
        activated(index)
        return true
    }

    private func showMenu(_ row: RoomPersonRow, _ widget: Widget, _ x: Double, _ y: Double) {
        // The row may be out of date: the person's role may have changed since.
        guard let current = room.people[row.id], let menu = menus.menu(for: current.person),
            let position = widget.translate(x: x, y: y, to: scroller)
        else { return }
        scroller.insert(menu.actions, prefix: "person")
        let popover = Popover(menu.menu)
        self.menu = popover
        popover.open(at: position.x, position.y, of: scroller)
    }

    func startInviting() {
        showInvitation(window()) { [weak self] in self?.showToast($0) }
    }
}

/// One row of the people list: avatar, nickname, status, and role in the room.
final class RoomPersonListRow: ListRow {
    let root: Widget
    private(set) var row: RoomPersonRow?
    private(set) var accessibleText: String?
    /// Called when the user asks for a menu, with the position in the widget.
    var onMenu: (RoomPersonRow, Widget, Double, Double) -> Void = { _, _, _, _ in }

    private let picture: AvatarImage
    private let name = Label().ellipsize().textAlignment(0).css("conversation-title")
    private let hats = Box.horizontal(spacing: 4)
    private let line = Label().ellipsize().textAlignment(0).css("caption", "dim-label")
    private let role = Label().css("caption", "dim-label").align(vertical: .center)
    private var shownHats: [String] = []

    /// More hats would leave no room for the name.
    private static let hatLimit = 2
    private static let hatLength = 12

    init(_ avatars: AvatarLoader) {
        picture = AvatarImage(avatars, size: 36)
        let upper = Box.horizontal(spacing: 6, name, hats)
        let column = Box.vertical(spacing: 1, upper, line).expand(.horizontal).align(vertical: .center)
        root = Box.horizontal(spacing: 12, picture.widget.align(vertical: .center), column, role)
            .margins(horizontal: 10, vertical: 6)
        root.onMenu { [weak self] x, y in
            if let self, let row = self.row { self.onMenu(row, self.root, x, y) }
        }
    }

    func show(_ item: RoomPersonRow) {
        row = item
        let person = item.person
        picture.show(name: item.nickname, hash: item.avatarHash, of: item.nickname)
        name.text = item.nickname
        line.text = RoomText.line(person)
        let text = Wording.standing(person)
        role.text = text ?? ""
        role.isVisible = text != nil
        // A person who is away is still in the room, so the avatar is only dimmed.
        picture.widget.css("dim-label", person.availability != .online)
        show(hats: person.hats)
        accessibleText = RoomText.accessibilityText(person)
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
