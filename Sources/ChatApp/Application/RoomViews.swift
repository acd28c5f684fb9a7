internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// Creates the views about rooms.
struct RoomViews {
    let context: AppContext
    private var home: ChatHome { context.home }

    var joining: RoomJoining {
        RoomJoining(
            account: { [home] in home.account($0) },
            ask: { [weak context] in if let context { RoomEntryWindow.show($0, context) } },
            showToast: context.windowContext.showToast)
    }

    func invitationBar() -> RoomInvitationBar {
        RoomInvitationBar(home.contacts, home.accounts, joining) { [weak context] in context?.window?.open($0) }
    }

    func notice(_ room: RoomModel) -> RoomNotice { RoomNotice(room, home.accounts, joining) }

    func accessories(_ room: RoomModel) -> RoomAccessories {
        RoomAccessories(room, notice(room)) { [weak context] in context.map { RoomWindow(room, $0) } }
    }

    func page(_ room: RoomModel) -> RoomPage {
        let page = RoomPage(
            room, home.conversations, home.accounts, home.avatars, joining,
            media: SharedMediaGroup(context.sharedMedia(of: room.key)) { [weak room] in room?.title ?? "" },
            encryption: context.encryption.group(
                of: room.key, name: { [weak room] in room?.title ?? "" }, window: { nil }))
        page.showSettings = { [home, weak room] in if let room { Self.showSettings(of: room, home, over: $0) } }
        return page
    }

    private static func showSettings(of room: RoomModel, _ home: ChatHome, over parent: Window?) {
        guard let account = home.account(room.key.account) else { return }
        RoomSettingsWindow(
            RoomSettingsModel(room.key, account: account, isOwner: room.rights.isOwner), home.conversations,
            home.avatars, own: account.address, over: parent
        ) { home.contacts[.init(account: account.id, address: $0)]?.name }
        .present()
    }

    func people(_ room: RoomModel) -> RoomPeopleView {
        RoomPeopleView(room, home.avatars, personMenu(room)) { [weak context] parent, showToast in
            if let context { RoomInviteWindow(room, context, over: parent, showToast: showToast).present() }
        }
    }

    func personMenu(_ room: RoomModel) -> RoomPersonMenu {
        let (account, encryption) = (room.key.account, context.encryption)
        return RoomPersonMenu(
            room, account: { [home] in home.account(account) },
            talk: { [weak context] in context?.window?.open($0) },
            showDevices: home.account(account).flatMap { encryption.service($0) }.map { _ in
                { person, parent in
                    guard let address = person.address else { return }
                    encryption.showDevices(of: address, name: person.nickname, as: account, over: parent)
                }
            })
    }

    /// Asks whom to invite to a new room, if there is anyone.
    func invitePeople(to key: ConversationKey) {
        guard let room = context.window?.conversation?.room?.model, room.key == key,
            !home.contacts.find("", of: key.account).isEmpty
        else { return }
        RoomInviteWindow(
            room, context, over: context.window?.window, showToast: context.windowContext.showToast
        ).present()
    }
}
