internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The window to invite contacts, or any address, into a room.
final class RoomInviteWindow {
    let window: Window
    let search = SearchEntry(placeholder: localized("Name or address"))
    private(set) var shown: [(address: JID, name: String)] = []

    private let room: RoomModel
    private let context: AppContext
    private let showToast: (String) -> Void
    private let list = ListBox().css("boxed-list")
    private let reason = EntryRow(localized("What you want to say with it (optional)"))
    private let empty = Label(localized("Nobody found. A whole address finds everybody.")).wrap().centered()
        .css("dim-label").margins(horizontal: 12, vertical: 18)

    /// The longest list of suggestions; typing narrows it down.
    private static let limit = 100

    init(_ room: RoomModel, _ context: AppContext, over parent: Window?, showToast: @escaping (String) -> Void) {
        self.room = room
        self.context = context
        self.showToast = showToast
        let content = Box.vertical(
            spacing: 12, PreferencesGroup("", description: nil, [reason]), list
        ).margins(horizontal: 12, vertical: 12)
        window = Window(
            localized("Invite somebody"), width: 400, height: 520, over: parent,
            Box.vertical(
                HeaderBar(title: WindowTitle(localized("Invite somebody"), room.title)),
                search.margins(horizontal: 12, vertical: 6),
                ScrolledWindow(content).expand(.vertical)))
        window.isModal(parent != nil)
        window.closesOnEscape()
        search.accessible(label: localized("Name or address"))
        list.accessible(label: localized("Contacts"))
        list.show(placeholder: empty)
    }

    func present() {
        window.retain(self)
        list.onActivate { [weak self] in self?.invite($0) }
        search.onSearch { [weak self] in self?.show($0) }
        search.onActivate { [weak self] in self?.invite(0) }
        show("")
        window.present()
        search.grabFocus()
    }

    /// Shows the matching contacts that are not in the room, and the typed address.
    func show(_ text: String) {
        let inside = Set(room.people.elements.compactMap { $0.person.address?.bare })
        let contacts = context.home.contacts.find(text, of: room.key.account).filter { !inside.contains($0.address) }
        shown = contacts.prefix(Self.limit).map { ($0.address, $0.name) }
        if text.contains("@"), let own = context.home.accounts.rows[room.key.account]?.address,
            let address = try? ContactAddress.complete(text, for: own), !inside.contains(address),
            !shown.contains(where: { $0.address == address })
        {
            shown.append((address, address.description))
        }
        list.removeAll()
        for person in shown {
            let contact = context.home.contacts[.init(account: room.key.account, address: person.address)]
            let row = ActionRow(person.name, subtitle: contact == nil ? nil : person.address.description)
            let picture = AvatarImage(context.home.avatars, size: 32)
            picture.show(name: person.name, hash: contact?.avatarHash)
            row.prepend(picture.widget)
            row.onActivate {}
            list.append(row)
        }
    }

    func invite(_ index: Int) {
        guard shown.indices.contains(index), let account = context.home.account(room.key.account) else { return }
        let (person, room, showToast) = (shown[index], room.key.address, showToast)
        let reasonText = reason.text.allSatisfy(\.isWhitespace) ? nil : reason.text
        window.close()
        Task {
            do throws(RoomFailure) {
                try await account.rooms.invite(person.address, to: room, reason: reasonText)
                showToast(localized("%@ is invited.", person.name))
            } catch {
                showToast(Wording.failure(error))
            }
        }
    }
}
