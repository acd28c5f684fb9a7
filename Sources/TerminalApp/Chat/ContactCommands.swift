internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress
internal import XMPPClient

/// Contact requests, blocking, and how contacts see the user.
@MainActor
struct ContactCommands {
    let models: AccountModels
    let console: ChatConsole
    let news: ListNews

    private var account: ChatAccount { models.account }

    /// Sends a request about contacts to the server; shows a message if there is no connection.
    private func request(_ job: @escaping @MainActor () async throws(ClientError) -> Void) {
        guard models.connection.isOnline else {
            return console.refuse(localized("There is no connection to the server."))
        }
        console.jobs.begin {
            do throws(ClientError) {
                try await job()
            } catch {
                console.refuse(Wording.failure(error))
            }
        }
    }

    // MARK: Contacts

    func add(_ text: String, name: String?) {
        request { () throws(ClientError) in
            let model = ContactAdditionModel(accounts: [account], store: account.store)
            await model.reload()
            model.text = text
            model.name = name ?? ""
            let check = model.check
            switch check {
            case .empty: return console.refuse(localized("Type %@.", "/add ADDRESS"))
            case .own: return console.refuse(.own, of: text)
            case .alreadyContact(let address, _):
                // There is nothing to correct.
                return console.showHarmless(Wording.refusal(.alreadyContact(address), of: text))
            case .invalid:
                do throws(ContactAddress.Refusal) {
                    _ = try ContactAddress.complete(text, for: account.address)
                } catch {
                    console.refuse(error, of: text)
                }
                return
            case .pending, .asking, .new: break
            }
            if let address = await model.submit() {
                if case .asking = check { return console.showNotice(localized("%@ is accepted.", address)) }
                console.showNotice(localized("Request sent to %@; the response will be shown here.", address))
            } else if let failure = model.failure {
                console.refuse(failure)
            }
        }
    }

    /// Answers a contact request; the last one without an address.
    func answer(_ text: String?, accepting: Bool) {
        let waiting = models.contactList.requests.elements.filter { $0.id.account == account.id }.map(\.address)
        let meant = text.map { try? ContactAddress.complete($0, for: account.address) } ?? waiting.last
        guard let address = meant, waiting.contains(address) else {
            return console.refuse(
                text.map { localized("There is no contact request from %@.", $0) }
                    ?? localized("There are no contact requests."))
        }
        request { () throws(ClientError) in
            if accepting {
                try await account.contacts.acceptRequest(of: address)
                console.showNotice(localized("%@ is accepted.", address))
            } else {
                try await account.contacts.declineRequest(of: address)
                console.showNotice(localized("%@ is refused.", address))
            }
        }
    }

    func remove(_ text: String?) {
        let key = text.map { models.contacts.find($0) } ?? models.conversation?.key
        guard
            let address = key?.address.bare ?? text.flatMap({ try? ContactAddress.complete($0, for: account.address) })
        else { return console.refuse(localized("Type %@.", "/remove ADDRESS")) }
        guard models.contacts.contact(address) != nil else {
            return console.refuse(localized("%@ is not one of your contacts; nothing was sent.", address))
        }
        console.confirm(localized("Remove %@ (yes/no)? ", address)) {
            request { () throws(ClientError) in
                news.setRemoving(true, address)
                do throws(ClientError) {
                    try await account.contacts.remove(address)
                } catch {
                    news.setRemoving(false, address)
                    throw error
                }
                console.showNotice(localized("%@ is removed.", address))
            }
        }
    }

    // MARK: Blocking

    func block(_ text: String?) {
        let key = text.map { models.contacts.find($0) } ?? models.conversation?.key
        guard let address = address(key, text) else {
            return console.refuse(localized("Type %@.", "/block ADDRESS"))
        }
        console.confirm(localized("Block %@ (yes/no)? ", address)) {
            request { () throws(ClientError) in
                try await account.blocking.block(address)
                console.showNotice(localized("%@ is blocked: you receive nothing from this address.", address))
            }
        }
    }

    func unblock(_ text: String) {
        guard let address = address(models.contacts.find(text), text) else {
            return console.refuse(localized("Type %@.", "/unblock ADDRESS"))
        }
        request { () throws(ClientError) in
            guard await account.blocking.blocked.contains(address) else {
                return console.refuse(localized("%@ is not blocked.", address))
            }
            try await account.blocking.unblock(address)
            console.showNotice(localized("%@ is no longer blocked.", address))
        }
    }

    /// The bare address of a person: of a known conversation, else the typed one.
    private func address(_ key: ConversationKey?, _ text: String?) -> JID? {
        if let key { return key.kind == .direct ? key.address.bare : nil }
        return text.flatMap { try? ContactAddress.complete($0, for: account.address) }
    }

    // MARK: Presence

    /// Shows after how many minutes without a key contacts see the user as away, or changes it.
    ///
    /// - Returns: `false` if the text is not a number of minutes, so that it can be corrected.
    func minutesUntilAway(_ text: String?) -> Bool {
        if let text {
            guard let minutes = Int(text), PreferenceValues.idleMinutes.contains(minutes) else {
                console.showNotice(
                    localized(
                        "Type a number of minutes up to %@; 0 is never.", PreferenceValues.idleMinutes.upperBound))
                return false
            }
            models.setMinutesUntilAway(minutes)
        }
        let minutes = models.preferences.values.minutesUntilAway
        console.showNotice(
            minutes == 0
                ? localized("Your contacts never see you as away because you do nothing.")
                : localized(
                    "Your contacts see you as away after %@ minute without a key.",
                    plural: "Your contacts see you as away after %@ minutes without a key.", count: minutes))
        return true
    }

    /// Shows the user's contacts a presence by its word, and a text.
    func appear(_ show: String, _ text: String?) async {
        await models.setPresence(OwnPresence(show: PresenceText.shows[show] ?? nil, status: text))
        let state = Wording.presence(models.presence.show)
        console.showNotice(localized("Your contacts see you as: %@", state + (text.map { ": " + $0 } ?? "")))
    }
}
