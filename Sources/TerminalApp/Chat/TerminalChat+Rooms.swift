internal import ChatModel
internal import ChatStore
internal import Localization

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
}
