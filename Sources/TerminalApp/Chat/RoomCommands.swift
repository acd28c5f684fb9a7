internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// Joining rooms, and the commands of the open one.
@MainActor
struct RoomCommands {
    let models: AccountModels
    let console: ChatConsole
    let conversations: ConversationCommands

    // MARK: Joining and leaving

    /// Joins a room by its address, or by its name at the service of the account's server.
    func join(_ text: String, nickname: String?) {
        console.activity = localized("joining %@…", text)
        console.jobs.begin {
            let model = RoomEntryModel(accounts: [models.account])
            if !text.contains("@") { await model.prepare() }
            model.text = text
            if let nickname { model.nickname = nickname }
            guard model.address != nil else {
                console.activity = nil
                return console.refuse(
                    localized("Enter the whole address of the room, such as garden@rooms.example.org."))
            }
            await enter(model) { await model.join() }
        }
    }

    /// Tries to join, and asks for what the room requires.
    private func enter(_ model: RoomEntryModel, _ attempt: () async -> ConversationKey?) async {
        let entered = await attempt()
        guard !Task.isCancelled else { return }
        console.activity = nil
        if let entered { return await conversations.open(entered) }
        switch model.question {
        case .password(let isWrong):
            let prompt =
                isWrong ? localized("This is not the password. Password: ") : localized("Password of the room: ")
            console.question = Question(prompt: prompt, isSecret: true) { answer in
                guard !answer.isEmpty else { return }
                model.password = answer
                console.jobs.begin { await enter(model) { await model.join() } }
            }
        case .missing:
            console.confirm(localized("There is no such room. Create it (yes/no)? ")) {
                // With the default configuration of the service; the user can change it later.
                model.settings.access = .standard
                await enter(model) { await model.create() }
            }
        case .nickname, nil: if let failure = model.failure { console.refuse(failure) }
        }
    }

    func leave() async {
        guard let key = models.room else { return showNoRoom() }
        let name = models.name(of: key)
        await models.account.rooms.leave(key.address)
        await conversations.showContacts()
        console.showNotice(localized("You have left %@; its messages stay in the list.", name))
    }

    // MARK: The open room

    /// Runs a command of the open room, and shows its error.
    private func inRoom(_ job: @escaping @Sendable (ChatAccount, JID) async throws(RoomFailure) -> String?) {
        guard let key = models.room else { return showNoRoom() }
        console.jobs.begin {
            do throws(RoomFailure) {
                if let line = try await job(models.account, key.address) { console.showHarmless(line) }
            } catch {
                let failure = Wording.failure(error)
                if models.room == key { console.refuse(failure) } else { console.showHarmless(failure) }
            }
        }
    }

    private func showNoRoom() { console.refuse(localized("This is not a room; /join joins one.")) }

    /// The maximum number of occupants that are listed.
    private static let namesShown = 200

    func showOccupants() async {
        guard let key = models.room else { return showNoRoom() }
        let state = await models.account.rooms.state(of: key.address)
        guard state.isInside else {
            return console.showNotice(localized("You are not in the room at the moment."))
        }
        let names = state.people.prefix(Self.namesShown).map {
            $0.isOwn ? "\($0.nickname) (\(localized("me")))" : $0.nickname
        }
        let more = state.people.count - names.count
        console.showNotice(
            names.joined(separator: localized(", "))
                + (more > 0 ? localized("  … and %@ more", plural: "  … and %@ more", count: more) : ""))
    }

    func changeNickname(to name: String) {
        inRoom { account, room throws(RoomFailure) in
            try await account.rooms.changeNickname(in: room, to: name)
            return localized("Your nickname in this room is now %@.", name)
        }
    }

    /// Shows the topic, or changes it.
    func topic(_ text: String?) {
        guard let text else {
            let room = models.conversation?.room
            let subject = room?.isInside == true ? room?.subject.flatMap { $0.isEmpty ? nil : $0 } : nil
            return console.showNotice(
                subject.map { localized("Topic: %@", TextFolding.folded($0)) } ?? localized("The room has no topic."))
        }
        inRoom { account, room throws(RoomFailure) in
            try await account.rooms.changeSubject(of: room, to: text)
            return nil
        }
    }

    /// Invites a contact by name, or an address; the rest of the text is for that person.
    func invite(_ text: String) {
        let names = models.contacts.contacts.map { ($0.name, $0.address) }
        let (address, reason): (JID?, String)
        if let (name, known) = Self.longest(names, in: text) {
            (address, reason) = (known, text.dropFirst(name.count).trimmed)
        } else {
            let word = text.prefix { !$0.isWhitespace }
            address = try? ContactAddress.complete(String(word), for: models.account.address)
            reason = text.dropFirst(word.count).trimmed
        }
        guard let address else { return console.refuse(localized("Type %@.", "/invite NAME [TEXT]")) }
        inRoom { account, room throws(RoomFailure) in
            try await account.rooms.invite(address, to: room, reason: reason.isEmpty ? nil : reason)
            return localized("%@ is invited.", address)
        }
    }

    /// Removes an occupant, who can come back unless banned.
    func removeOccupant(_ text: String, isBan: Bool) {
        let people = models.conversation?.room?.people.elements.filter { !$0.person.isOwn } ?? []
        guard let (nickname, row) = Self.longest(people.map { ($0.nickname, $0) }, in: text) else {
            return console.refuse(localized("There is no occupant with this name in the room."))
        }
        let reason = text.dropFirst(nickname.count).trimmed
        guard isBan else {
            return inRoom { account, room throws(RoomFailure) in
                try await account.rooms.kick(nickname, from: room, reason: reason.isEmpty ? nil : reason)
                return localized("%@ is removed from the room.", nickname)
            }
        }
        guard let address = row.person.address?.bare else {
            return console.refuse(
                localized("The room does not show you the address of %@, so there is nothing to ban.", nickname))
        }
        console.confirm(localized("Ban %@ (yes/no)? ", nickname)) {
            inRoom { account, room throws(RoomFailure) in
                try await account.rooms.ban(address, from: room, reason: reason.isEmpty ? nil : reason)
                return localized("%@ is banned from the room.", nickname)
            }
        }
    }

    /// Deletes a message of another occupant for everybody (XEP-0425), after a question.
    func moderate(_ number: Int, reason: String?) async {
        guard let pane = models.conversation, let room = pane.room else { return showNoRoom() }
        guard room.rights.mayRetractOthersMessages else {
            return console.refuse(localized("Only a moderator can delete the messages of others."))
        }
        guard let message = pane.received(number) else {
            return console.refuse(localized("There is no such message."))
        }
        guard let id = (try? await pane.timeline.actions.moderationID(of: message.id)) ?? nil else {
            return console.refuse(localized("The room does not keep this message, so it cannot be deleted."))
        }
        let author = TerminalText.harmless(message.senderName)
        let words = TerminalText.excerpt(message.summary)
        console.confirm(localized("Delete “%@” of %@ for everyone (yes/no)? ", words, author)) {
            inRoom { account, room throws(RoomFailure) in
                try await account.rooms.retract(id, in: room, reason: reason)
                return nil
            }
        }
    }

    /// The longest name with which a text begins, as a whole word: names may have blanks.
    nonisolated static func longest<Value>(_ names: [(String, Value)], in text: String) -> (String, Value)? {
        let lowered = text.lowercased()
        return names.filter { name, _ in
            guard !name.isEmpty, lowered.hasPrefix(name.lowercased()) else { return false }
            return text.dropFirst(name.count).first?.isWhitespace ?? true
        }.max { $0.0.count < $1.0.count }
    }
}
