internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// Opens `xmpp:` links. A link can come from anybody: it fills in a field or a form, and nothing is sent, added or removed
/// before the user agrees (XEP-0147 §5).
extension AppContext {
    func open(address text: String) {
        guard let uri = try? XMPPURI(text), let address = uri.address, let account = account(of: uri, to: address)
        else { return showToast(localized("%@ is not an address that can be opened here.", text)) }
        let id = ContactRow.ID(account: account, address: address)
        let key = ConversationKey(account: account, address: address, kind: .direct)
        switch uri.request {
        case .message(let draft):
            open(key)
            if let body = draft.body { window?.conversation?.composer?.propose(body) }
        case .subscribe, .addContact:
            if home.contacts[id] != nil { open(key) } else { addContact(address.bare.description) }
        case .unsubscribe, .removeContact:
            guard home.contacts[id] != nil, let actions = contactActions(id) else {
                return showToast(localized("%@ is not one of your contacts.", address.bare))
            }
            showWindow()
            actions.delete()
        case .enterRoom(let password): enter(address.bare, password: password)
        case .invite(let person, let password): invite(person, to: address.bare, password: password)
        // Unknown actions are ignored (RFC 5122 §2.5); those for accounts and for services open what the address names.
        case .register, .command, nil: open(key)
        }
    }

    /// The account that the link names, else one that already talks to the address, else the first one.
    private func account(of uri: XMPPURI, to address: JID) -> AccountID? {
        let rows = home.accounts.rows.elements
        if let named = rows.first(where: { $0.address == uri.account?.bare }) { return named.id }
        let enabled = rows.filter(\.isEnabled)
        let known = enabled.first { row in
            home.conversations.all.keys.contains { $0.account == row.id && $0.address.bare == address.bare }
                || home.contacts[.init(account: row.id, address: address)] != nil
        }
        return (known ?? enabled.first ?? rows.first)?.id
    }

    /// Opens a room that the user has joined; asks before another one is joined.
    private func enter(_ room: JID, password: String? = nil) {
        if let row = home.rooms.rows.elements.first(where: { $0.address == room && $0.isInside }) {
            open(row.conversation)
        } else {
            showWindow()
            RoomEntryWindow.show(self, text: room.description, password: password)
        }
    }

    /// Opens the window that invites people, with the person filled in; the room is joined first.
    private func invite(_ person: JID, to room: JID, password: String?) {
        enter(room, password: password)
        guard let model = window?.conversation?.room?.model, model.key.address == room, model.isInside else { return }
        let view = RoomInviteWindow(model, self, over: window?.window, showToast: windowContext.showToast)
        view.present()
        view.search.text = person.bare.description
    }

    /// Asks whether to add the contact of an invitation; without an account, creates one.
    @discardableResult
    func open(_ invitation: AccountInvitation) -> InvitationQuestion? {
        let register = { [weak self] in
            guard let self else { return }
            SignInWindow.add(self.home, over: self.window?.window, invitation: invitation)
        }
        guard let contact = invitation.contact, let question = InvitationQuestion(invitation, home.accounts) else {
            register()
            return nil
        }
        showWindow()
        question.present(
            over: window?.window,
            add: { [weak self] account in
                guard let self else { return }
                self.home.accept(invitation, as: account)
                self.open(ConversationKey(account: account, address: contact, kind: .direct))
            }, create: { register() })
        return question
    }
}
