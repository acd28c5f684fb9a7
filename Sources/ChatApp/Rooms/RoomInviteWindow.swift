internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The window to invite contacts, or any address, into a room: several at once.
final class RoomInviteWindow {
    let window: Window
    let search = SearchEntry(placeholder: localized("Name or address"))
    let invite = Button(localized("_Invite")).css("suggested-action")
    private(set) var shown: [Candidate] = []
    /// The selected people in the order of their selection.
    private(set) var chosen: [Candidate] = []

    struct Candidate: Hashable {
        let address: JID
        let name: String
    }

    private let room: RoomModel
    private let context: AppContext
    private let showToast: (String) -> Void
    private let list = ListBox().css("boxed-list")
    private let reason = EntryRow(localized("Message (optional)"))
    private var checks: [CheckButton] = []
    let title: WindowTitle
    private let empty = Label(localized("No one found. A complete address always works.")).wrap().centered()
        .css("dim-label").margins(horizontal: 12, vertical: 18)

    /// The longest list of suggestions; typing narrows it down.
    private static let limit = 100

    init(_ room: RoomModel, _ context: AppContext, over parent: Window?, showToast: @escaping (String) -> Void) {
        self.room = room
        self.context = context
        self.showToast = showToast
        title = WindowTitle(localized("Invite"), room.title)
        let content = Box.vertical(
            spacing: 12, list, PreferencesGroup("", description: nil, [reason])
        ).margins(horizontal: 12, vertical: 12)
        let cancel = Button(localized("_Cancel"))
        let header = HeaderBar(title: title)
        header.showsWindowButtons(start: false, end: false)
        header.prepend(cancel)
        header.append(invite)
        window = Window(
            localized("Invite"), width: 400, height: 520, over: parent,
            Box.vertical(
                header, search.margins(horizontal: 12, vertical: 6), ScrolledWindow(content).expand(.vertical)))
        window.isModal(parent != nil)
        window.closesOnEscape()
        search.accessible(label: localized("Name or address"))
        list.accessible(label: localized("Contacts"))
        list.show(placeholder: empty)
        cancel.onClick { [weak self] in self?.window.close() }
        invite.onClick { [weak self] in self?.send() }
    }

    func present() {
        window.retain(self)
        search.onSearch { [weak self] in self?.show($0) }
        search.onActivate { [weak self] in self?.entered() }
        search.onStop { [weak self] in self?.window.close() }
        show("")
        // A room that was created just then gets its name later.
        observe(self) { view in view.showChoice() }
        window.present()
        search.grabFocus()
    }

    /// Shows the selected people, the matching contacts that are not in the room, and the typed address.
    func show(_ text: String) {
        let inside = Set(room.people.elements.compactMap { $0.person.address?.bare })
        let contacts = context.home.contacts.find(text, of: room.key.account).filter { !inside.contains($0.address) }
        var found = contacts.prefix(Self.limit).map { Candidate(address: $0.address, name: $0.name) }
        if text.contains("@"), let own = context.home.accounts.rows[room.key.account]?.address,
            let address = try? ContactAddress.complete(text, for: own), !inside.contains(address),
            !found.contains(where: { $0.address == address })
        {
            found.append(Candidate(address: address, name: address.description))
        }
        shown = chosen.filter { !found.contains($0) } + found
        list.removeAll()
        checks = shown.map { person in
            let check = CheckButton().align(vertical: .center).accessible(label: person.name)
            check.isActive = chosen.contains(person)
            check.onToggle { [weak self] isOn in self?.choose(person, isOn) }
            list.append(row(person, check))
            return check
        }
    }

    private func row(_ person: Candidate, _ check: CheckButton) -> Widget {
        let contact = context.home.contacts[.init(account: room.key.account, address: person.address)]
        let row = ActionRow(person.name, subtitle: contact == nil ? nil : person.address.description)
        let picture = AvatarImage(context.home.avatars, size: 32)
        picture.show(name: person.name, hash: contact?.avatarHash, of: person.address.description)
        row.prepend(picture.widget)
        row.append(check)
        row.activates(check)
        return row
    }

    /// Selects or deselects a person of the list, as a click does.
    func choose(_ index: Int) {
        guard checks.indices.contains(index) else { return }
        checks[index].isActive.toggle()
    }

    private func choose(_ person: Candidate, _ isOn: Bool) {
        chosen.removeAll { $0 == person }
        if isOn { chosen.append(person) }
        showChoice()
    }

    private func showChoice() {
        invite.isSensitive = !chosen.isEmpty
        title.show(
            title: localized("Invite"),
            subtitle: chosen.isEmpty
                ? room.title : localized("%@ person", plural: "%@ people", count: chosen.count))
    }

    /// Return selects the first person found; with an empty field it invites.
    private func entered() {
        guard !search.text.allSatisfy(\.isWhitespace) else { return send() }
        if let first = shown.firstIndex(where: { !chosen.contains($0) }) { choose(first) }
        search.text = ""
    }

    func send() {
        guard !chosen.isEmpty, let account = context.home.account(room.key.account) else { return }
        let (people, room, showToast) = (chosen, room.key.address, showToast)
        let reasonText = reason.text.allSatisfy(\.isWhitespace) ? nil : reason.text
        window.close()
        Task {
            var invited: [Candidate] = []
            for person in people {
                do throws(RoomFailure) {
                    try await account.rooms.invite(person.address, to: room, reason: reasonText)
                    invited.append(person)
                } catch {
                    showToast("\(person.name): \(Wording.failure(error))")
                }
            }
            if invited.count == 1, let person = invited.first {
                showToast(localized("%@ is invited.", person.name))
            } else if !invited.isEmpty {
                showToast(localized("%@ person is invited.", plural: "%@ people are invited.", count: invited.count))
            }
        }
    }
}
