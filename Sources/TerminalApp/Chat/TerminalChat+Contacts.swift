internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress
internal import XMPPClient

extension TerminalChat {
    /// Sends a request about contacts to the server; shows a message if there is no connection.
    private func request(_ job: @escaping @MainActor (TerminalChat) async throws(ClientError) -> Void) {
        guard connection.isOnline else { return showNotice(localized("There is no connection to the server.")) }
        begin { chat in
            do throws(ClientError) {
                try await job(chat)
            } catch {
                chat.showNotice(TerminalText.harmless(Wording.failure(error)))
            }
        }
    }

    func add(_ text: String, name: String?) {
        request { chat throws(ClientError) in
            let model = ContactAdditionModel(accounts: [chat.account], store: chat.account.store)
            await model.reload()
            model.text = text
            model.name = name ?? ""
            let check = model.check
            switch check {
            case .empty: return chat.showNotice(localized("Type %@.", "/add ADDRESS"))
            case .own: return chat.showNotice(chat.refusal(.own, of: text))
            case .alreadyContact(let address, _):
                return chat.showNotice(chat.refusal(.alreadyContact(address), of: text))
            case .invalid:
                do throws(ContactAddress.Refusal) {
                    _ = try ContactAddress.complete(text, for: chat.account.address)
                } catch {
                    chat.showNotice(chat.refusal(error, of: text))
                }
                return
            case .pending, .asking, .new: break
            }
            if let address = await model.submit() {
                if case .asking = check { return chat.showNotice(localized("%@ is accepted.", address)) }
                chat.showNotice(localized("Request sent to %@; the response will be shown here.", address))
            } else if let failure = model.failure {
                chat.showNotice(TerminalText.harmless(failure))
            }
        }
    }

    func answer(_ text: String?, accepting: Bool) {
        let waiting = contactList.requests.elements.filter { $0.id.account == account.id }.map(\.address)
        let meant = text.map { try? ContactAddress.complete($0, for: account.address) } ?? waiting.last
        guard let address = meant, waiting.contains(address) else {
            return showNotice(
                text.map { localized("There is no contact request from %@.", $0) }
                    ?? localized("There are no contact requests."))
        }
        request { chat throws(ClientError) in
            if accepting {
                try await chat.account.contacts.acceptRequest(of: address)
                chat.showNotice(localized("%@ is accepted.", address))
            } else {
                try await chat.account.contacts.declineRequest(of: address)
                chat.showNotice(localized("%@ is refused.", address))
            }
        }
    }

    func askRemoval(_ text: String?) {
        let key = text.map { contacts.find($0) } ?? conversation?.key
        guard
            let address = key?.address.bare ?? text.flatMap({ try? ContactAddress.complete($0, for: account.address) })
        else { return showNotice(localized("Type %@.", "/remove ADDRESS")) }
        guard contacts.contact(address) != nil else {
            return showNotice(localized("%@ is not one of your contacts; nothing was sent.", address))
        }
        confirm(localized("Remove %@ (yes/no)? ", address)) { chat in
            chat.request { chat throws(ClientError) in
                chat.removed.insert(address)
                do throws(ClientError) {
                    try await chat.account.contacts.remove(address)
                } catch {
                    chat.removed.remove(address)
                    throw error
                }
                chat.showNotice(localized("%@ is removed.", address))
            }
        }
    }

    // MARK: Blocking

    func block(_ text: String?) {
        let key = text.map { contacts.find($0) } ?? conversation?.key
        guard let address = address(key, text) else { return showNotice(localized("Type %@.", "/block ADDRESS")) }
        confirm(localized("Block %@ (yes/no)? ", address)) { chat in
            chat.request { chat throws(ClientError) in
                try await chat.account.blocking.block(address)
                chat.showNotice(localized("%@ is blocked: you receive nothing from this address.", address))
            }
        }
    }

    func unblock(_ text: String) {
        guard let address = address(contacts.find(text), text) else {
            return showNotice(localized("Type %@.", "/unblock ADDRESS"))
        }
        request { chat throws(ClientError) in
            guard await chat.account.blocking.blocked.contains(address) else {
                return chat.showNotice(localized("%@ is not blocked.", address))
            }
            try await chat.account.blocking.unblock(address)
            chat.showNotice(localized("%@ is no longer blocked.", address))
        }
    }

    /// The bare address of a person: of a known conversation, else the typed one.
    private func address(_ key: ConversationKey?, _ text: String?) -> JID? {
        if let key { return key.kind == .direct ? key.address.bare : nil }
        return text.flatMap { try? ContactAddress.complete($0, for: account.address) }
    }

    // MARK: Other conversations

    /// Lists the other conversations with unread messages, with the numbers that `/chat` and Alt+1 … Alt+9 take.
    func showUnread() {
        let lines = contacts.unreadLines(besides: conversation?.key)
        guard !lines.isEmpty else { return showNotice(localized("There are no other unread messages.")) }
        for line in lines { showNotice(TerminalText.harmless(line)) }
    }
}
