internal import ChatModel
internal import ChatStore
internal import Localization
internal import Roster
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension Chat {
    func perform(_ command: ChatCommand) async {
        switch command {
        case .message(let text): await send(text)
        case .picture(let file): sendPicture(file)
        case .voice(let file?): sendVoice(file)
        case .voice(nil): await beginRecording()
        case .play(let file): play(file)
        case .get: fetchWaiting()
        case .status(let show, let text): await appear(show, text)
        case .add(let address, let name): await add(address, name: name)
        case .accept(let text): await answer(text, accepting: true)
        case .reject(let text): await answer(text, accepting: false)
        case .remove(let text): askRemoval(text)
        case .open(let text): await open(named: text)
        case .edit(let text): await edit(text)
        case .reply(let number, let text): await reply(number, text)
        case .react(let emoji): await react(emoji)
        case .delete: await deleteLast()
        case .retry: await retry()
        case .search(let words): await search(words)
        case .join(let room, let nickname): join(room, nickname: nickname)
        case .who: await tellWho()
        case .leave: await leaveRoom()
        case .help: help()
        case .quit: isLeaving = true
        case .unknown(let name): tell(localized("There is no command %@; /help lists them.", name))
        case .incomplete(let usage): tell(localized("Say %@.", usage))
        }
    }

    /// Keeps a message; what becomes of it shows behind it.
    private func send(_ text: String) async {
        guard let key = openKey else { return }
        guard !MessageLength.isExceeded(by: text) else { return offerAsFile(text) }
        do {
            _ = try await account.send(.text(MessageText(text)), in: key)
            tellWaiting()
        } catch {
            tell(CommandError(error).description)
        }
    }

    /// Once for each time without a connection.
    func tellWaiting() {
        if case .online = link { return }
        guard !hasToldWaiting else { return }
        hasToldWaiting = true
        tell(localized("Kept here; it goes out with the next connection."))
    }

    private func appear(_ show: String, _ text: String?) async {
        presence = OwnPresence(show: AvailabilityOptions.shows[show] ?? nil, status: text)
        await account.setPresence(presence)
        let state = presence.show.map(Self.word) ?? localized("online")
        tell(localized("Friends see you as: %@", state + (text.map { ": " + $0 } ?? "")))
    }

    private func add(_ text: String, name: String?) async {
        do {
            let friend = try ContactAddress.parse(text, account: address).bare
            switch try await roster().add(friend, name: name) {
            case .requested: tell(localized("Asked %@; the answer will show here.", friend))
            case .alreadyContact: tell(localized("%@ is already a friend; nothing was sent.", friend))
            }
        } catch {
            tell(CommandError(error).description)
        }
    }

    private func answer(_ text: String?, accepting: Bool) async {
        do {
            let friend = try text.map { try ContactAddress.parse($0, account: address).bare } ?? requests.last
            guard let friend, requests.contains(friend) else {
                return tell(
                    text == nil
                        ? localized("Nobody has asked.")
                        : localized("%@ has not asked; there is nothing to answer.", text ?? ""))
            }
            _ = try roster()
            if accepting {
                try await account.acceptRequest(of: friend)
            } else {
                try await account.declineRequest(of: friend)
            }
            requests.removeAll { $0 == friend }
            tell(accepting ? localized("%@ is accepted.", friend) : localized("%@ is refused.", friend))
        } catch {
            tell(CommandError(error).description)
        }
    }

    private func askRemoval(_ text: String?) {
        do {
            var friend: JID?
            if let text {
                friend = try friends.find(text)?.address ?? ContactAddress.parse(text, account: address).bare
            } else if let key = openKey {
                friend = key.address.bare
            }
            guard let friend else { return tell(localized("Say %@.", "/remove ADDRESS")) }
            guard friends.contacts.contains(where: { $0.address == friend }) else {
                return tell(localized("%@ is not on the list of friends; nothing was sent.", friend))
            }
            question = Question(prompt: localized("Remove %@ (yes/no)? ", friend)) { await $0.remove(friend) }
        } catch {
            tell(CommandError(error).description)
        }
    }

    private func remove(_ address: JID) async {
        do {
            try await roster().remove(address)
            tell(localized("%@ is removed.", address))
        } catch {
            tell(CommandError(error).description)
        }
    }

    /// The list of contacts of the session.
    private func roster() throws(CommandError) -> Roster {
        guard case .online = link, let roster = live.roster else {
            throw CommandError(.connection, localized("There is no connection to the server."))
        }
        return roster
    }

    private func open(named text: String?) async {
        guard let text else {
            scrollToEnd()
            view = .friends
            await account.opened(nil)
            return
        }
        if let contact = friends.find(text) { return await open(contact.address) }
        if let other = friends.findOther(text) { return await open(other.key) }
        do {
            await open(try ContactAddress.parse(text, account: address).bare)
        } catch {
            tell(CommandError(error).description)
        }
    }

    private func help() {
        for command in ChatCommand.all {
            let left = command.name + (command.argument.isEmpty ? "" : " " + command.argument)
            tell(left + ": " + localized(command.help))
        }
        tell(localized("Tab completes commands and file names; a message that begins with / is written with //."))
        tell(
            localized("PageUp shows older messages. Marks: … waits, ✓ on the server, ✓✓ delivered, ✔✔ seen, ✗ failed."))
    }
}
