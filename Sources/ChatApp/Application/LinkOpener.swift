internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// Opens `xmpp:` links. A link can come from anybody: it fills in a field or a form, and nothing is sent, added or removed
/// before the user agrees (XEP-0147 §5).
struct LinkOpener {
    let context: AppContext

    /// Opens an address. An invitation and a link with fingerprints are confirmed first.
    func open(_ address: String) {
        if let request = VerificationRequest(address) { return open(request) }
        guard let invitation = AccountInvitation(address) else { return open(address: address) }
        if context.window?.open(invitation) != true { open(invitation) }
    }

    func open(address text: String) {
        guard let uri = try? XMPPURI(text), let address = uri.address, let account = account(of: uri, to: address)
        else { return context.showToast(localized("%@ is not an address that can be opened here.", text)) }
        let id = ContactRow.ID(account: account, address: address)
        let key = ConversationKey(account: account, address: address, kind: .direct)
        switch uri.request {
        case .message(let draft):
            context.open(key)
            if let body = draft.body { context.window?.conversation?.composer?.propose(body) }
        case .subscribe, .addContact:
            if context.home.contacts[id] != nil {
                context.open(key)
            } else {
                context.addContact(address.bare.description)
            }
        case .unsubscribe, .removeContact:
            guard context.home.contacts[id] != nil, let actions = context.contactActions(id) else {
                return context.showToast(localized("%@ is not one of your contacts.", address.bare))
            }
            context.showWindow()
            actions.delete()
        case .enterRoom(let password): enter(address.bare, password: password)
        case .invite(let person, let password): invite(person, to: address.bare, password: password)
        // Unknown actions are ignored (RFC 5122 §2.5); those for accounts and for services open what the address names.
        case .register, .command, nil: context.open(key)
        }
    }

    /// The account that the link names, else one that already talks to the address, else the first one.
    private func account(of uri: XMPPURI, to address: JID) -> AccountID? {
        let rows = context.home.accounts.rows.elements
        if let named = rows.first(where: { $0.address == uri.account?.bare }) { return named.id }
        let enabled = rows.filter(\.isEnabled)
        let known = enabled.first { row in
            context.home.conversations.all.keys.contains { $0.account == row.id && $0.address.bare == address.bare }
                || context.home.contacts[.init(account: row.id, address: address)] != nil
        }
        return (known ?? enabled.first ?? rows.first)?.id
    }

    /// Opens a room that the user has joined; asks before another one is joined.
    private func enter(_ room: JID, password: String? = nil) {
        if let row = context.home.rooms.rows.elements.first(where: { $0.address == room && $0.isInside }) {
            context.open(row.conversation)
        } else {
            context.showWindow()
            RoomEntryWindow.show(context, text: room.description, password: password)
        }
    }

    /// Opens the window that invites people, with the person filled in; the room is joined first.
    private func invite(_ person: JID, to room: JID, password: String?) {
        enter(room, password: password)
        guard let model = context.window?.conversation?.room?.model, model.key.address == room, model.isInside else {
            return
        }
        let view = RoomInviteWindow(
            model, context, over: context.window?.window, showToast: context.windowContext.showToast)
        view.present()
        view.search.text = person.bare.description
    }

    /// Asks whether to add the contact of an invitation; without an account, creates one.
    @discardableResult
    func open(_ invitation: AccountInvitation) -> InvitationQuestion? {
        let register = { [weak context] in
            guard let context else { return }
            SignInWindow.add(context.home, over: context.window?.window, invitation: invitation)
        }
        guard let contact = invitation.contact, let question = InvitationQuestion(invitation, context.home.accounts)
        else {
            register()
            return nil
        }
        context.showWindow()
        question.present(
            over: context.window?.window,
            add: { [weak context] account in
                guard let context else { return }
                context.home.accept(invitation, as: account)
                context.open(ConversationKey(account: account, address: contact, kind: .direct))
            }, create: { register() })
        return question
    }

    /// Asks whether to verify the keys of a link that was opened.
    func open(_ request: VerificationRequest) {
        let rows = context.home.accounts.rows.elements
        let contact = context.home.contacts.rows.elements.first { $0.address == request.account }
        let own = rows.first { $0.address == request.account }
        guard let account = own?.id ?? contact?.id.account ?? rows.first(where: \.isEnabled)?.id ?? rows.first?.id,
            let devices = context.encryption.showDevices(
                of: request.account, name: contact?.name ?? request.account.description, as: account,
                over: context.window?.window)
        else { return }
        devices.view.confirm(request)
    }
}
