internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

extension TerminalChat {
    /// Joins a room by its address, or by its name at the service of the account's server.
    func join(_ text: String, nickname: String?) {
        activity = localized("joining %@…", text)
        begin { chat in
            let model = RoomEntryModel(accounts: [chat.account])
            if !text.contains("@") { await model.prepare() }
            model.text = text
            if let nickname { model.nickname = nickname }
            guard model.address != nil else {
                chat.activity = nil
                return chat.showNotice(
                    localized("Enter the whole address of the room, such as garden@rooms.example.org."))
            }
            await chat.enter(model) { await model.join() }
        }
    }

    /// Tries to join, and asks for what the room requires.
    private func enter(_ model: RoomEntryModel, _ attempt: () async -> ConversationKey?) async {
        let entered = await attempt()
        guard !Task.isCancelled else { return }
        activity = nil
        if let entered { return await open(entered) }
        switch model.question {
        case .password(let isWrong):
            let prompt =
                isWrong ? localized("This is not the password. Password: ") : localized("Password of the room: ")
            question = Question(prompt: prompt, isSecret: true) { [weak self] answer in
                guard !answer.isEmpty else { return }
                model.password = answer
                self?.begin { await $0.enter(model) { await model.join() } }
            }
        case .missing:
            confirm(localized("There is no such room. Create it (yes/no)? ")) { chat in
                // With the default configuration of the service; the user can change it later.
                model.settings.access = .standard
                await chat.enter(model) { await model.create() }
            }
        case .nickname, nil: if let failure = model.failure { showNotice(TerminalText.harmless(failure)) }
        }
    }

    func showOccupants() async {
        guard let key = conversation?.key, key.kind == .room else {
            return showNotice(localized("This is not a room; /join joins one."))
        }
        let state = await account.rooms.state(of: key.address)
        guard state.isInside else { return showNotice(localized("You are not in the room at the moment.")) }
        let names = state.people.prefix(Self.namesShown).map {
            $0.isOwn ? "\($0.nickname) (\(localized("me")))" : $0.nickname
        }
        let more = state.people.count - names.count
        showNotice(
            names.joined(separator: ", ")
                + (more > 0 ? localized("  … and %@ more", plural: "  … and %@ more", count: more) : ""))
    }

    /// The maximum number of occupants that are listed.
    private static let namesShown = 200

    func leaveRoom() async {
        guard let key = conversation?.key, key.kind == .room else {
            return showNotice(localized("This is not a room; /join joins one."))
        }
        let name = name(of: key)
        await account.rooms.leave(key.address)
        await showContacts()
        showNotice(localized("You have left %@; its messages stay in the list.", name))
    }

    // MARK: Commands in a room

    /// Runs a command of the open room, and shows its error.
    private func inRoom(_ job: @escaping @Sendable (ChatAccount, JID) async throws(RoomFailure) -> String?) {
        guard let key = conversation?.key, key.kind == .room else {
            return showNotice(localized("This is not a room; /join joins one."))
        }
        begin { chat in
            do throws(RoomFailure) {
                if let line = try await job(chat.account, key.address) { chat.showNotice(TerminalText.harmless(line)) }
            } catch {
                chat.showNotice(TerminalText.harmless(Wording.failure(error)))
            }
        }
    }

    func changeNickname(to name: String) {
        inRoom { account, room throws(RoomFailure) in
            try await account.rooms.changeNickname(in: room, to: name)
            return localized("Your nickname in this room is now %@.", name)
        }
    }

    func topic(_ text: String?) {
        guard let text else {
            let subject = conversation?.room?.subject.flatMap { $0.isEmpty ? nil : $0 }
            return showNotice(
                subject.map { localized("Topic: %@", TextFolding.folded($0)) } ?? localized("The room has no topic."))
        }
        inRoom { account, room throws(RoomFailure) in
            try await account.rooms.changeSubject(of: room, to: text)
            return nil
        }
    }

    func invite(_ text: String) {
        let names = contacts.contacts.map { ($0.name, $0.address) }
        let (address, reason): (JID?, String)
        if let (name, known) = Self.longest(names, in: text) {
            (address, reason) = (known, text.dropFirst(name.count).trimmed)
        } else {
            let word = text.prefix { !$0.isWhitespace }
            address = try? ContactAddress.complete(String(word), for: account.address)
            reason = text.dropFirst(word.count).trimmed
        }
        guard let address else { return showNotice(localized("Type %@.", "/invite NAME [TEXT]")) }
        inRoom { account, room throws(RoomFailure) in
            try await account.rooms.invite(address, to: room, reason: reason.isEmpty ? nil : reason)
            return localized("%@ is invited.", address)
        }
    }

    /// Removes an occupant, who can come back unless banned.
    func removeOccupant(_ text: String, isBan: Bool) {
        let people = conversation?.room?.people.filter { !$0.isOwn } ?? []
        guard let (nickname, person) = Self.longest(people.map { ($0.nickname, $0) }, in: text) else {
            return showNotice(localized("There is no occupant with this name in the room."))
        }
        let reason = text.dropFirst(nickname.count).trimmed
        guard isBan else {
            return inRoom { account, room throws(RoomFailure) in
                try await account.rooms.kick(nickname, from: room, reason: reason.isEmpty ? nil : reason)
                return localized("%@ is removed from the room.", nickname)
            }
        }
        guard let address = person.address?.bare else {
            return showNotice(
                localized("The room does not show you the address of %@, so there is nothing to ban.", nickname))
        }
        confirm(localized("Ban %@ (yes/no)? ", nickname)) { chat in
            chat.inRoom { account, room throws(RoomFailure) in
                try await account.rooms.ban(address, from: room, reason: reason.isEmpty ? nil : reason)
                return localized("%@ is banned from the room.", nickname)
            }
        }
    }

    /// Deletes a message of another occupant for everybody (XEP-0425), after a question.
    func moderate(_ number: Int, reason: String?) async {
        guard let pane = conversation, pane.key.kind == .room else {
            return showNotice(localized("This is not a room; /join joins one."))
        }
        guard RoomRights(pane.room?.people.first(where: \.isOwn)).mayRetractOthersMessages else {
            return showNotice(localized("Only a moderator can delete the messages of others."))
        }
        let others = pane.messages.reversed().filter { !$0.isRetracted && !$0.isOutgoing }
        guard others.indices.contains(number - 1) else { return showNotice(localized("There is no such message.")) }
        let message = others[number - 1]
        guard let id = (try? await pane.timeline.moderationID(of: message.id)) ?? nil else {
            return showNotice(localized("The room does not keep this message, so it cannot be deleted."))
        }
        let author = TerminalText.harmless(message.senderName)
        confirm(localized("Delete “%@” of %@ for everyone (yes/no)? ", short(message.summary), author)) { chat in
            chat.inRoom { account, room throws(RoomFailure) in
                try await account.rooms.retract(id, in: room, reason: reason)
                return nil
            }
        }
    }

    /// The longest name with which a text begins, as a whole word: names may have blanks.
    static func longest<Value>(_ names: [(String, Value)], in text: String) -> (String, Value)? {
        let lowered = text.lowercased()
        return names.filter { name, _ in
            guard !name.isEmpty, lowered.hasPrefix(name.lowercased()) else { return false }
            return text.dropFirst(name.count).first?.isWhitespace ?? true
        }.max { $0.0.count < $1.0.count }
    }
}
